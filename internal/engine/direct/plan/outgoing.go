package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
)

// outgoing returns the object as sent, with the label of the placement's ApplySet.
func outgoing(content *unstructured.Unstructured, setID string) *unstructured.Unstructured {
	out := source.Outgoing(content)
	applyset.Mark(out, setID)
	return out
}
