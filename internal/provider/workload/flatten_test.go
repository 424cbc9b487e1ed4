package workload

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
)

// TestFlattenUnwritable checks that a manifest that cannot be encoded causes one error, and that the values have the types that the framework
// requires.
func TestFlattenUnwritable(t *testing.T) {
	object := workload.Object{Identifier: web.Expand(), Configuration: &unstructured.Unstructured{Object: map[string]any{"kind": "Deployment"}}}
	var diags diag.Diagnostics
	found := flatten(t.Context(), &workload.Found{Objects: []workload.Object{object, object}}, &diags)
	if diags.ErrorsCount() != 1 {
		t.Errorf("%v", diags)
	}
	data := newModel(web)
	data.Found = found
	newPlan(t, data)
}
