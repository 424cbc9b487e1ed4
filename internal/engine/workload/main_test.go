package workload_test

import (
	"os"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

const memberName = "member-1"

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 1, NoWorkloads: true}, &env))
}

// fleet is a set of clusters with the credentials of a context on the member.
func fleet(t *testing.T, context string) *clusterset.Set {
	t.Helper()
	clusters.Need(t, env)
	connect := func(name, context string) *kube.Cluster {
		return kube.NewCluster(name, connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: context}, kube.Options{QPS: -1}, nil)
	}
	set := clusterset.New(connect(env.Hub, env.Hub), map[string]*kube.Cluster{memberName: connect(memberName, context)}, 0)
	t.Cleanup(func() {
		for _, cluster := range set.Any() {
			cluster.Close()
		}
	})
	return set
}

// reader reads with the credentials of a context on the member.
func reader(t *testing.T, context string) *workload.Reader {
	t.Helper()
	return workload.NewReader(fleet(t, context))
}

// put makes objects on the member as somebody else would, in a namespace that is theirs.
func put(t *testing.T, namespace, text string) {
	t.Helper()
	clusters.Need(t, env)
	client, err := env.Client(memberName)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := fixture.Parse([]byte("{apiVersion: v1, kind: Namespace, metadata: {name: NAMESPACE}}\n---\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range objects {
		if u.GetKind() == "Namespace" {
			u.SetName(namespace)
		} else if u.GetNamespace() == "" {
			u.SetNamespace(namespace)
		}
		if _, err := client.Add(t.Context(), u, false); err != nil {
			t.Fatal(err)
		}
	}
}
