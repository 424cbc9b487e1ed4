package workload

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
)

// What cannot be written leaves one error, and values of the right types for the framework.
func TestFlattenUnwritable(t *testing.T) {
	object := workload.Object{Identifier: web.expand(), Configuration: &unstructured.Unstructured{Object: map[string]any{"kind": "Deployment"}}}
	var diags diag.Diagnostics
	found := flatten(t.Context(), &workload.Found{Objects: []workload.Object{object, object}}, &diags)
	if diags.ErrorsCount() != 1 {
		t.Errorf("%v", diags)
	}
	data := model(web)
	data.Found = found
	written(t, data)
}
