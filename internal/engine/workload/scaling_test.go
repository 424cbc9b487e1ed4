package workload_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// host is a hub that leaves the replica count of Deployments to members.
var host = domain.Retention{{Group: "apps", Kind: "Deployment"}: "kubeadmiral.io/retain-replicas"}

// scalable has workloads, the first one with an autoscaler.
const scalable = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 3, selector: {matchLabels: {run: web}}, template: {metadata: {labels: {run: web}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other}
spec: {replicas: 3, selector: {matchLabels: {run: other}}, template: {metadata: {labels: {run: other}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {replicas: 3, serviceName: db, selector: {matchLabels: {run: db}}, template: {metadata: {labels: {run: db}}, spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: set}
spec: {replicas: 3, selector: {matchLabels: {run: set}}, template: {metadata: {labels: {run: set}}, spec: {containers: [{name: c, image: nginx}]}}}
`

func workloadID(kind, namespace, name string) manifest.Identifier {
	return manifest.Identifier{Group: "apps", Version: "v1", Kind: kind, Namespace: namespace, Name: name}
}

// TestScaling checks that the replica count of a scaled workload is left to each cluster, for every kind of autoscaler, placed or not. A hub that stores
// placed objects would set it to 1: there an annotation retains it, or the count stays in the configuration.
func TestScaling(t *testing.T) {
	put(t, "scaling", scalable)
	const autoscaler, person = "my-autoscaler", "kubectl"
	scale(t, person, "Deployment", "scaling", "other", 4)
	for name, c := range map[string]struct {
		kind, name string
		by         string // the field manager that writes through the subresource scale
		request    workload.Request
		retention  domain.Retention
		replicas   domain.Replicas
		wantBy     string
	}{
		"a HorizontalPodAutoscaler":           {kind: "Deployment", name: "web", request: workload.Request{Related: true}, replicas: domain.ReplicasOpen, wantBy: "HorizontalPodAutoscaler scaling/web"},
		"one that does not come along":        {kind: "Deployment", name: "web", replicas: domain.ReplicasOpen, wantBy: "HorizontalPodAutoscaler scaling/web"},
		"through a hub":                       {kind: "Deployment", name: "web", request: workload.Request{ThroughHub: true}, replicas: domain.ReplicasPinned, wantBy: "HorizontalPodAutoscaler scaling/web"},
		"through a host of KubeAdmiral":       {kind: "Deployment", name: "web", request: workload.Request{ThroughHub: true, Related: true}, retention: host, replicas: domain.ReplicasRetained, wantBy: "HorizontalPodAutoscaler scaling/web"},
		"by its engine, unsaid":               {kind: "Deployment", name: "web", retention: host, replicas: domain.ReplicasRetained, wantBy: "HorizontalPodAutoscaler scaling/web"},
		"another autoscaler":                  {kind: "StatefulSet", name: "db", by: autoscaler, request: workload.Request{Related: true}, replicas: domain.ReplicasOpen, wantBy: autoscaler},
		"another, of a StatefulSet on a host": {kind: "StatefulSet", name: "db", by: autoscaler, request: workload.Request{ThroughHub: true}, retention: host, replicas: domain.ReplicasPinned, wantBy: autoscaler},
		"of a ReplicaSet":                     {kind: "ReplicaSet", name: "set", by: autoscaler, replicas: domain.ReplicasOpen, wantBy: autoscaler},
		"of a ReplicaSet on a host":           {kind: "ReplicaSet", name: "set", by: autoscaler, retention: host, replicas: domain.ReplicasPinned, wantBy: autoscaler},
		"a user by hand":                      {kind: "Deployment", name: "other", request: workload.Request{Related: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.by != "" {
				scale(t, c.by, c.kind, "scaling", c.name, 2)
				scale(t, c.by, c.kind, "scaling", c.name, 4)
			}
			c.request.Cluster, c.request.Workload = memberName, workloadID(c.kind, "scaling", c.name)
			clusters.Need(t, env)
			found, err := workload.NewReader(fleet(t, env.Kubeconfig, memberName), workload.Hub{Retention: c.retention}).Read(t.Context(), c.request)
			if err != nil {
				t.Fatal(err)
			}
			own := found.Objects[0].Configuration
			number, has, _ := unstructured.NestedInt64(own.Object, "spec", "replicas")
			if scaling := found.Scaling; scaling.Replicas != c.replicas || !strings.HasPrefix(scaling.By, c.wantBy) || (scaling.By == "") != (c.wantBy == "") {
				t.Errorf("%+v", scaling)
			}
			if pinned := c.replicas == "" || c.replicas == domain.ReplicasPinned; has != pinned || pinned && number < 3 {
				t.Errorf("%d Pods, %t", number, has)
			}
			if retained := own.GetAnnotations()["kubeadmiral.io/retain-replicas"] == "true"; retained != (c.replicas == domain.ReplicasRetained) {
				t.Errorf("it has the annotations %v", own.GetAnnotations())
			}
			if found.Verdict.Restart != domain.RestartNone || len(found.Unseen) > 0 {
				t.Errorf("%+v, %v", found.Verdict, found.Unseen)
			}
		})
	}
}

// A kind of autoscaler that may not be read is reported, unless a field manager identifies an autoscaler.
func TestUnseenAutoscaler(t *testing.T) {
	put(t, "unseen", scalable)
	scale(t, "my-autoscaler", "Deployment", "unseen", "other", 4)
	for name, c := range map[string]struct {
		workload        string
		related         bool
		unseen, has, by bool
	}{
		"read with the rest":           {"web", true, true, true, false},
		"read alone":                   {"web", false, true, true, false},
		"known by its manager":         {"other", false, false, false, true},
		"known, and others are copied": {"other", true, true, false, true},
	} {
		request := workload.Request{Cluster: memberName, Workload: workloadID("Deployment", "unseen", c.workload), Related: c.related}
		found, err := deniedReader(t, "horizontalpodautoscalers").Read(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		unseen := len(found.Unseen) == 1 && found.Unseen[0].Kind == "HorizontalPodAutoscaler" && found.Unseen[0].Namespace == "unseen" && found.Unseen[0].Err != nil
		if has := domain.HasReplicas(found.Objects[0].Configuration); unseen != c.unseen || has != c.has || (found.Scaling.By != "") != c.by {
			t.Errorf("%s: %+v, %+v, replicas %t", name, found.Unseen, found.Scaling, has)
		}
	}
}
