package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
)

func outgoing(content *unstructured.Unstructured, setID string) *unstructured.Unstructured {
	out := source.Outgoing(content)
	applyset.Mark(out, setID)
	return out
}
