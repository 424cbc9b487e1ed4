// Package nobackend is what the remote state back ends are replaced by in
// the Terraform that our tests run: one that says it is not there.
package nobackend

import (
	"fmt"

	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/backendbase"
	"github.com/hashicorp/terraform/internal/configs/configschema"
	"github.com/hashicorp/terraform/internal/states/statemgr"
	"github.com/hashicorp/terraform/internal/tfdiags"
	"github.com/zclconf/go-cty/cty"
)

type missing struct {
	backendbase.Base
	name string
}

// New returns a back end that has no arguments and that cannot be configured.
func New(name string) backend.Backend {
	return missing{Base: backendbase.Base{Schema: &configschema.Block{}}, name: name}
}

func (m missing) diags() tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Append(fmt.Errorf("this Terraform was built without the state back end %q; use local, http or inmem", m.name))
}

// Configure refuses.
func (m missing) Configure(cty.Value) tfdiags.Diagnostics { return m.diags() }

// StateMgr refuses.
func (m missing) StateMgr(string) (statemgr.Full, tfdiags.Diagnostics) { return nil, m.diags() }

// DeleteWorkspace refuses.
func (m missing) DeleteWorkspace(string, bool) tfdiags.Diagnostics { return m.diags() }

// Workspaces refuses.
func (m missing) Workspaces() ([]string, tfdiags.Diagnostics) { return nil, m.diags() }
