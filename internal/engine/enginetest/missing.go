package enginetest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Needing is a Deployment whose Pods need a ServiceAccount that does not exist. The fake nodes of the tests start Pods without their Secrets, but no API
// server creates a Pod without its ServiceAccount.
const Needing = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: needs, namespace: $ns}
spec:
  selector: {matchLabels: {app: needs}}
  template:
    metadata: {labels: {app: needs}}
    spec:
      serviceAccountName: runner
      containers: [{name: web, image: nginx}]
`

// Account is the ServiceAccount that [Needing] needs.
const Account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: $ns}}"

func (w *World) account() manifest.Identifier {
	return manifest.Identifier{Version: "v1", Kind: "ServiceAccount", Namespace: w.Name, Name: "runner"}
}

// LackOf returns the clusters on which a preview reports the object as missing for a workload.
func LackOf(preview *engine.Preview, object manifest.Identifier) []string {
	var out []string
	for _, c := range preview.Clusters {
		if slices.ContainsFunc(c.Objects, func(o engine.ObjectPreview) bool { return slices.Contains(o.Missing, object) }) {
			out = append(out, c.Name)
		}
	}
	return out
}

// PrunedReference checks that a plan reports the object as missing if the same plan deletes it and restarts the Pods that need it. Manifests are placed in
// addition to [Needing] and [Account].
func (w *World) PrunedReference(manifests ...string) {
	w.Helper()
	placed := slices.Concat(manifests, []string{Needing, Account})
	before := w.Placing("$ns-pruned", placed...)
	before.Wait = true
	w.DeleteAtEnd(before)
	after := before.After(w.Apply(before).Status)
	for template, want := range map[string][]string{"image: nginx": nil, "image: nginx:new": w.Members} {
		changed := strings.Replace(Needing, "image: nginx", template, 1)
		preview, err := after.With(w.Manifests(slices.Concat(manifests, []string{changed})...)).Preview(w.Context(), w.Engine())
		if err != nil {
			w.Fatal(err)
		}
		if lacking := LackOf(preview, w.account()); !slices.Equal(lacking, want) {
			w.Errorf("%s: the plan reports the missing object on %v: %+v", template, lacking, preview.Clusters)
		}
	}
}

// NeedingOnHub puts [Needing] on the hub, and returns a request that places it on all members.
func (w *World) NeedingOnHub() Request {
	w.Helper()
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}\n---"+Needing)
	return Request{Name: w.Name, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: w.Name}},
		Policy:            &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members},
	}}
}

// MissingReference checks that an apply does not wait for a workload that needs an object which the plan reported as missing on the members, and that the next
// plan is empty and reports the object as missing until it exists. The request places [Needing] on all members.
func (w *World) MissingReference(e engine.Engine, request Request) {
	w.Helper()
	request.Wait = true
	w.DeleteAtEnd(request)
	account := w.account()
	plan := func() (preview *engine.Preview, lacking []string) {
		preview, err := request.Preview(w.Context(), e)
		if err != nil {
			w.Fatal(err)
		}
		return preview, LackOf(preview, account)
	}
	preview, lacking := plan()
	if !slices.Equal(lacking, w.Members) {
		w.Fatalf("the plan reports the missing object on %v: %+v", lacking, preview.Clusters)
	}
	request.Expected = engine.Expect(preview)
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	result, err := request.Apply(ctx, e)
	if err != nil || result.TimedOut {
		w.Fatalf("%+v, %v", result, err)
	}
	lacking = nil
	for _, o := range result.Objects {
		if o.Waiting != nil && slices.Equal(o.Missing, []manifest.Identifier{account}) {
			lacking = append(lacking, o.Cluster)
		}
	}
	if slices.Sort(lacking); !slices.Equal(lacking, w.Members) {
		w.Errorf("the result reports the missing object on %v: %+v", lacking, result.Objects)
	}
	request = request.After(result.Status)
	if preview, lacking = plan(); preview.Pending() || !slices.Equal(lacking, w.Members) {
		w.Errorf("the second plan reports the missing object on %v: %+v", lacking, preview)
	}
	for _, name := range w.Members {
		w.Put(name, Account)
	}
	if _, lacking = plan(); len(lacking) > 0 {
		w.Errorf("the object exists, but the plan reports it as missing on %v", lacking)
	}
}

// ArrivingReference checks that an apply waits for a workload whose missing object is created soon after the workload. The request places [Needing].
func (w *World) ArrivingReference(request Request) {
	w.Helper()
	request.Wait = true
	w.DeleteAtEnd(request)
	e := w.Engine()
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	request.Expected = engine.Expect(preview)
	for _, name := range w.Members {
		w.Inject(clusters.Fault{Context: name, Times: 1, Match: func(r clusters.Request) bool {
			return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/"+w.Name+"/serviceaccounts/runner")
		}, Then: func(clusters.Request) {
			w.Put(name, Account)
		}})
	}
	result, err := request.Apply(w.Context(), e)
	if err != nil || result.TimedOut {
		w.Fatalf("%+v, %v", result, err)
	}
	for _, o := range result.Objects {
		if o.Waiting != nil || len(o.Missing) > 0 {
			w.Errorf("%s: %+v, missing %v", o.Cluster, o.Waiting, o.Missing)
		}
	}
}
