package enginetest

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
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

// MissingReference checks that an apply does not wait for a workload that lacks an object on a member, as the plan has shown, and that the next plan is
// empty and says it as well. The request places [Needing] on one member.
func (w *World) MissingReference(e engine.Engine, request Request) {
	w.Helper()
	request.Wait = true
	w.DeleteAtEnd(request)
	preview, err := request.Preview(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	lacks := func(preview *engine.Preview) bool {
		for _, o := range preview.Clusters[0].Objects {
			if o.Kind == "Deployment" {
				return len(o.Missing) == 1 && o.Missing[0].String() == w.Expand("ServiceAccount $ns/runner")
			}
		}
		return false
	}
	if !lacks(preview) {
		w.Fatalf("the plan does not say what is missing: %+v", preview.Clusters)
	}
	request.Expected = engine.Expect(preview)
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	result, err := request.Apply(ctx, e)
	if err != nil || result.TimedOut {
		w.Fatalf("%+v, %v", result, err)
	}
	named := false
	for _, o := range result.Objects {
		named = named || o.Kind == "Deployment" && o.Waiting != nil && len(o.Missing) == 1
	}
	if !named {
		w.Errorf("the result does not name what is missing: %+v", result.Objects)
	}
	second, err := request.After(result.Status).Preview(w.Context(), e)
	if err != nil || second.Pending() || !lacks(second) {
		w.Errorf("the second plan has something to do, or does not say what is missing: %+v, %v", second, err)
	}
}
