// Package nobackend replaces the remote state back ends in the Terraform
// programs that tests build. Its back end returns an error when it is
// configured.
package nobackend

import (
	"fmt"

	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/remote-state/inmem"
	"github.com/hashicorp/terraform/internal/configs/configschema"
	"github.com/hashicorp/terraform/internal/tfdiags"
	"github.com/zclconf/go-cty/cty"
)

// missing is a back end whose configuration never succeeds, so its other
// methods are not called. They come from another back end, because they
// differ between versions of Terraform.
type missing struct {
	backend.Backend
	name string
}

// New returns a back end that has no arguments and that cannot be configured.
func New(name string) backend.Backend {
	return missing{Backend: inmem.New(), name: name}
}

// ConfigSchema returns an empty schema.
func (missing) ConfigSchema() *configschema.Block { return &configschema.Block{} }

// PrepareConfig returns the configuration, which is empty.
func (missing) PrepareConfig(config cty.Value) (cty.Value, tfdiags.Diagnostics) { return config, nil }

// Configure returns an error.
func (m missing) Configure(cty.Value) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Append(fmt.Errorf("this Terraform was built without the state back end %q; use local, http or inmem", m.name))
}
