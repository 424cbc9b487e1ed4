package workload_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// running is a workload with every kind of related object, and with unrelated objects.
const running = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {run: web}}
  template:
    metadata: {labels: {run: web}}
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: nginx
        envFrom: [{configMapRef: {name: settings}}, {configMapRef: {name: missing, optional: true}}, {secretRef: {name: password}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {run: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {selector: {run: other}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {greeting: hello}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: unrelated}}
---
{apiVersion: v1, kind: Secret, metadata: {name: password}, stringData: {password: hunter2}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}, imagePullSecrets: [{name: registry}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: {matchLabels: {run: web}}}}
`

func webIn(namespace string) manifest.Identifier {
	return manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: namespace, Name: "web"}
}

func read(t *testing.T, context string, request workload.Request) *workload.Found {
	t.Helper()
	request.Cluster = memberName
	found, err := reader(t, context).Read(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A workload is read with its related objects only. A write of its configuration changes nothing. The replica count is left to the autoscaler.
func TestRead(t *testing.T) {
	put(t, "workshop", running)
	found := read(t, memberName, workload.Request{Workload: webIn("workshop"), Related: true})
	var got []string
	for _, o := range found.Objects {
		got = append(got, fmt.Sprintf("%s %s %v %v", o.Relation, o.Key(), o.Configuration != nil, o.Lacking))
	}
	slices.Sort(got[1:])
	if want := []string{
		"itself Deployment workshop/web true false", "referenced ConfigMap workshop/missing false false", "referenced ConfigMap workshop/settings true false",
		"referenced PersistentVolumeClaim workshop/data false true", "referenced Secret workshop/password false true", "referenced Secret workshop/registry false true",
		"referenced ServiceAccount workshop/web true false", "scales HorizontalPodAutoscaler workshop/web true false", "selects PodDisruptionBudget workshop/web true false",
		"selects Service workshop/web true false",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if found.Verdict.Restart != domain.RestartNone || len(found.Verdict.Changes) > 0 || found.Verdict.Unknown != nil || len(found.Unseen) > 0 {
		t.Errorf("%+v, %v", found.Verdict, found.Unseen)
	}
	texts, err := manifest.Texts("test", found.Manifests())
	if err != nil || len(texts) != 6 || texts["deployment.workshop.web.yaml"] == "" || strings.Contains(texts["deployment.workshop.web.yaml"], "replicas") {
		t.Errorf("%v, %v", texts, err)
	}
	for key, text := range texts {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
			t.Errorf("%s has the value of a Secret", key)
		}
	}
	alone := read(t, memberName, workload.Request{Workload: webIn("workshop")})
	if len(alone.Objects) != 1 || domain.HasReplicas(alone.Objects[0].Configuration) {
		t.Errorf("%+v", alone.Objects)
	}
	secret := read(t, memberName, workload.Request{Workload: manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "workshop", Name: "password"}})
	if secret.Objects[0].LeftOut == "" || len(secret.Manifests()) > 0 {
		t.Errorf("%+v", secret.Objects)
	}
}

// A workload that does not roll out needs no dry run: an API server rejects the write of a Job without the fields that it has set.
func TestReadJob(t *testing.T) {
	put(t, "jobs", `{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {template: {metadata: {labels: {app: once}}, spec: {restartPolicy: Never, containers: [
      {name: c, image: busybox}]}}}}`)
	found := read(t, memberName, workload.Request{Workload: manifest.Identifier{Group: "batch", Version: "v1", Kind: "Job", Namespace: "jobs", Name: "once"}})
	own := found.Objects[0].Configuration
	labels, _, err := unstructured.NestedStringMap(own.Object, "spec", "template", "metadata", "labels")
	if err != nil || len(labels) != 1 || own.Object["spec"].(map[string]any)["selector"] != nil || found.Verdict.Restart != domain.RestartNone {
		t.Errorf("%v, %+v", own, found.Verdict)
	}
}

// With ThroughHub, the verdict includes the changes by the hub's API server, even if the hub does not have the namespace yet. With read-only
// rights the verdict is unknown.
func TestVerdict(t *testing.T) {
	put(t, "verdict", running)
	request := workload.Request{Workload: webIn("verdict"), ThroughHub: true, Related: true}
	through := read(t, memberName, request)
	if got := through.Verdict; got.Restart != domain.RestartNone || got.Unknown != nil {
		t.Errorf("through a hub of the same version: %+v", got)
	}
	if replicas := through.Objects[0].Configuration.Object["spec"].(map[string]any)["replicas"]; replicas != int64(2) {
		t.Errorf("the hub would set one replica: %v", replicas)
	}
	if got := read(t, clusters.Readonly(memberName), request).Verdict; got.Restart != domain.RestartUnknown || got.Unknown == nil {
		t.Errorf("with read-only rights: %+v", got)
	}
	request.Cluster, request.Workload.Name = memberName, "nobodys"
	if _, err := reader(t, memberName).Read(t.Context(), request); !errors.Is(err, engine.ErrNotFound) {
		t.Error(err)
	}
	if got := unreachable(t, request); !isUnreachable(got) {
		t.Error(got)
	}
}

// Workloads that a release, a controller or Kubernetes itself owns are left out.
func TestList(t *testing.T) {
	put(t, "list", running)
	put(t, "list-more", `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: released
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: released, meta.helm.sh/release-namespace: list}
spec: {selector: {matchLabels: {run: released}}, template: {metadata: {labels: {run: released}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: system, namespace: kube-system}
spec: {selector: {matchLabels: {run: system}}, template: {metadata: {labels: {run: system}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: placed, labels: {applyset.kubernetes.io/part-of: applyset-x}}
spec: {selector: {matchLabels: {run: placed}}, template: {metadata: {labels: {run: placed}}, spec: {containers: [{name: c, image: nginx}]}}}
`)
	for name, c := range map[string]struct {
		request workload.ListRequest
		want    []string
	}{
		"all": {workload.ListRequest{Kinds: domain.Lasting()}, []string{"Deployment list/web"}},
		"what a release has as well": {
			workload.ListRequest{Kinds: domain.Lasting(), Managed: true, Clusters: []string{memberName}}, []string{"Deployment list/web", "Deployment list-more/released"},
		},
		"of another namespace": {workload.ListRequest{Kinds: domain.Lasting(), Filter: engine.Filter{Namespace: "list-more"}}, nil},
		"of another kind":      {workload.ListRequest{Kinds: []domain.Kind{"DaemonSet", "Job"}}, nil},
	} {
		found, missed, err := reader(t, memberName).List(t.Context(), c.request)
		var got []string
		for _, one := range found {
			if one.Cluster != memberName || one.Namespace == "kube-system" {
				t.Errorf("%s: %+v", name, one)
			}
			if strings.HasPrefix(one.Namespace, "list") {
				got = append(got, one.String())
			}
		}
		if slices.Sort(got); err != nil || len(missed) > 0 || !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: %q, %v, %v", name, got, missed, err)
		}
	}
	_, _, err := reader(t, memberName).List(t.Context(), workload.ListRequest{Clusters: []string{"nobody"}})
	if _, is := errors.AsType[*engine.NotConfiguredError](err); !is {
		t.Error(err)
	}
	if _, _, err := workload.NewReader(clusterset.New(nil, nil, 0), workload.Hub{}).List(t.Context(), workload.ListRequest{}); err == nil {
		t.Error("a list without members returned no error")
	}
}

// unreachable reads from a member whose address has no listener.
func unreachable(t *testing.T, request workload.Request) error {
	t.Helper()
	nowhere := kube.NewCluster(memberName, connection.Connection{Host: "https://127.0.0.1:1", Token: "none"}, kube.Options{QPS: -1, Timeout: time.Second}, nil)
	t.Cleanup(nowhere.Close)
	_, err := workload.NewReader(clusterset.New(nil, map[string]*kube.Cluster{memberName: nowhere}, 0), workload.Hub{}).Read(t.Context(), request)
	return err
}

func isUnreachable(err error) bool {
	_, is := errors.AsType[*engine.UnreachableError](err)
	return is
}

// An object that the hub does not place is left out and counts as lacking.
func TestUnplaceable(t *testing.T) {
	put(t, "unplaceable", running)
	hub := workload.Hub{Unplaceable: func(context.Context) (func(schema.GroupVersionKind) string, error) {
		return func(kind schema.GroupVersionKind) string {
			if kind.Kind == "PodDisruptionBudget" {
				return "the hub places none"
			}
			return ""
		}, nil
	}}
	found, err := workload.NewReader(fleet(t, env.Kubeconfig, memberName), hub).Read(t.Context(), workload.Request{
		Cluster: memberName, Workload: webIn("unplaceable"), Related: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, o := range found.Objects {
		if (o.LeftOut == "the hub places none") != (o.Kind == "PodDisruptionBudget") {
			t.Errorf("%+v", o)
		}
		if o.LeftOut == "the hub places none" && o.Lacking && o.Configuration == nil {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%+v", found.Objects)
	}
}

// An error that one argument causes names the argument.
func TestReadErrorsNameTheArgument(t *testing.T) {
	for name, c := range map[string]struct {
		id              manifest.Identifier
		at, wantMessage string
	}{
		"a kind that is not served": {
			manifest.Identifier{Group: "example.org", Version: "v1", Kind: "Widget", Namespace: "default", Name: "web"}, "kind", "does not serve the kind Widget",
		},
		"a namespaced kind": {manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Name: "web"}, "namespace", "a Deployment is namespaced: set the namespace"},
	} {
		_, err := reader(t, memberName).Read(t.Context(), workload.Request{Cluster: memberName, Workload: c.id})
		if limitation, is := errors.AsType[*engine.LimitationError](err); !is || limitation.Path.String() != c.at || !strings.Contains(err.Error(), c.wantMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
