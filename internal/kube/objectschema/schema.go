package objectschema

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Schema is the schema of the built-in kinds. It is safe for concurrent use.
type Schema struct{}

var _ diff.Schema = (*Schema)(nil)

// New returns the schema.
func New() *Schema { return &Schema{} }

// Kind returns the type of a kind's objects, or nil if the kind is not built in.
func (*Schema) Kind(kind schema.GroupVersionKind) diff.Type {
	if known := readTable().kinds[kind]; known != nil {
		return known
	}
	return nil
}
