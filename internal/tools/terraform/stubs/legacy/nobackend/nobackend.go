// Package nobackend is what the remote state back ends are replaced by in
// the Terraforms that our tests run: one that says it is not there.
package nobackend

import (
	"fmt"

	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/remote-state/inmem"
	"github.com/hashicorp/terraform/internal/configs/configschema"
	"github.com/hashicorp/terraform/internal/tfdiags"
	"github.com/zclconf/go-cty/cty"
)

// missing has the methods that come after its configuration, which never
// succeeds, from another back end: they are not the same in every version.
type missing struct {
	backend.Backend
	name string
}

// New returns a back end that has no arguments and that cannot be configured.
func New(name string) backend.Backend {
	return missing{Backend: inmem.New(), name: name}
}

// ConfigSchema has no arguments.
func (missing) ConfigSchema() *configschema.Block { return &configschema.Block{} }

// PrepareConfig takes what there is: nothing.
func (missing) PrepareConfig(config cty.Value) (cty.Value, tfdiags.Diagnostics) { return config, nil }

// Configure refuses.
func (m missing) Configure(cty.Value) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Append(fmt.Errorf("this Terraform was built without the state back end %q; use local, http or inmem", m.name))
}
