package workload_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
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

// fleet returns the clusters of a kubeconfig, with the credentials of a context on the member.
func fleet(t *testing.T, kubeconfig, context string) *clusterset.Set {
	t.Helper()
	connect := func(name, context string) *kube.Cluster {
		return kube.NewCluster(name, connection.Connection{ConfigPath: kubeconfig, ConfigContext: context}, kube.Options{QPS: -1}, nil)
	}
	set := clusterset.New(connect(env.Hub, env.Hub), map[string]*kube.Cluster{memberName: connect(memberName, context)}, 0)
	t.Cleanup(func() {
		for _, cluster := range set.Any() {
			cluster.Close()
		}
	})
	return set
}

// reader returns a reader with the credentials of a context on the member.
func reader(t *testing.T, context string) *workload.Reader {
	t.Helper()
	clusters.Need(t, env)
	return workload.NewReader(fleet(t, env.Kubeconfig, context), workload.Hub{})
}

// deniedReader returns a reader that may not list a kind, given by its plural name.
func deniedReader(t *testing.T, plural string) *workload.Reader {
	t.Helper()
	clusters.Need(t, env)
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{PlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close() })
	recorder.Inject(clusters.Fault{Status: http.StatusForbidden, Match: func(r clusters.Request) bool { return strings.HasSuffix(r.Path, "/"+plural) }})
	return workload.NewReader(fleet(t, recorder.Kubeconfig(), memberName), workload.Hub{})
}

// scale sets the replicas of a workload as a field manager, through the subresource scale.
func scale(t *testing.T, manager, kind, namespace, name string, replicas int) {
	t.Helper()
	client, err := env.Client(memberName)
	if err != nil {
		t.Fatal(err)
	}
	ref := fixture.Ref{APIVersion: "apps/v1", Kind: kind, Namespace: namespace, Name: name}
	if err := client.As(manager).Merge(t.Context(), ref, fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas), "scale", false); err != nil {
		t.Fatal(err)
	}
}

// put creates objects on the member as another program would, in their own namespace.
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
