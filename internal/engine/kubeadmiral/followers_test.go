package kubeadmiral_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// withFollowers is an external policy of a Deployment on the first two members. The Deployment needs ConfigMaps, which follow it.
const withFollowers = `{apiVersion: core.kubeadmiral.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: %[1]s}, spec: {schedulingMode: Duplicate,
  placement: [{cluster: member-1}, {cluster: member-2}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: %[2]s, namespace: $ns, labels: {kubeadmiral.io/cluster-propagation-policy-name: %[1]s}}, spec: {
  selector: {matchLabels: {app: %[2]s}}, template: {metadata: {labels: {app: %[2]s}}, spec: {containers: [{name: it, image: nginx, envFrom: [%[3]s]}]}}}}
`

// followerAction returns what a preview shows for a ConfigMap on a cluster, or "" if it does not show the ConfigMap.
func followerAction(preview *engine.Preview, cluster, name string) takeover.Action {
	return actions(preview)[cluster+" ConfigMap "+name]
}

// The plan of an imported placement shows that objects that follow its workloads are deleted on the members that the workloads leave, and with the placement,
// even if they were taken over. An object that also follows another workload on the member remains.
func TestFollowers(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := onHost(t)
	for _, member := range w.Members[:2] {
		w.Put(member, fmt.Sprintf(foreign, "settings"))
	}
	w.Put(w.Env.Hub, `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns, annotations: {kubeadmiral.io/conflict-resolution: adopt,
  kubeadmiral.io/clusters-to-adopt: '{"regexp":".*"}', kubeadmiral.io/orphan: adopted}}, data: {value: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: shared, namespace: $ns}, data: {value: "1"}}`)
	w.Put(w.Env.Hub, fmt.Sprintf(withFollowers, "$ns", "web", "{configMapRef: {name: settings}}, {configMapRef: {name: shared}}"))
	w.Put(w.Env.Hub, fmt.Sprintf(withFollowers, "$ns-other", "other", "{configMapRef: {name: shared}}"))
	for _, member := range w.Members[:2] {
		w.Eventually("the followers are on "+member, func() bool {
			return w.Find(member, "apps/v1 Deployment $ns/other") != nil && w.Find(member, "v1 ConfigMap $ns/shared") != nil && w.Value(member, "v1 ConfigMap $ns/settings", "data", "value") == "1"
		})
	}
	request := enginetest.Request{Name: w.Name, Again: true}
	read, err := request.Read(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	request.Spec, request.Prior = read.Spec, &read.Status
	if preview := previewed(t, w, request); preview.Pending() || len(preview.Dangers) > 0 {
		t.Errorf("the plan after the import is not empty: %+v", preview)
	}
	pick := func(members ...string) {
		request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: members}
	}

	pick(w.Members...)
	if preview := previewed(t, w, request); len(preview.Dangers) != 1 {
		t.Errorf("the plan does not show that followers come along: %+v", preview.Dangers)
	} else {
		w.Contains(preview.Dangers[0].Message, w.Expand("these objects on \"member-3\""), w.Expand("ConfigMap $ns/settings, ConfigMap $ns/shared"))
	}

	pick(w.Members[0])
	preview := previewed(t, w, request)
	if settings, shared := followerAction(preview, w.Members[1], "settings"), followerAction(preview, w.Members[1], "shared"); settings != takeover.ActionPrune || shared != "" {
		t.Errorf("the plan shows %q and %q", settings, shared)
	}
	request.Expected = engine.Expect(preview)
	result := applied(t, w, request)
	gone(t, w, "v1 ConfigMap $ns/settings", w.Members[1])
	wantPresent(t, w, "v1 ConfigMap $ns/settings", w.Members[0])
	wantPresent(t, w, "v1 ConfigMap $ns/shared", w.Members[:2]...)
	deleted := ""
	for _, o := range result.Objects {
		if o.Action == takeover.ActionPrune && o.Failure == nil {
			deleted += " " + o.Cluster + " " + o.Name
		}
	}
	if !strings.Contains(deleted, " member-2 settings") || strings.Contains(deleted, "shared") {
		t.Errorf("the result has%s", deleted)
	}

	request = request.After(result.Status)
	removal := previewedRemoval(t, w, request)
	if settings, shared := followerAction(removal, w.Members[0], "settings"), followerAction(removal, w.Members[0], "shared"); settings != takeover.ActionPrune || shared != "" {
		t.Errorf("the plan of the destroy shows %q and %q", settings, shared)
	}
	request.ExpectedRemoval = engine.Expect(removal)
	w.Delete(request)
	gone(t, w, "v1 ConfigMap $ns/settings", w.Members[:2]...)
	wantPresent(t, w, "v1 ConfigMap $ns/shared", w.Members[:2]...)
	wantPresent(t, w, "v1 ConfigMap $ns/settings", w.Env.Hub)
}
