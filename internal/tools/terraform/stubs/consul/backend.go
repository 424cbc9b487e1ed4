// Package consul replaces the state back end "consul", which tests do not use.
package consul

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/legacy/nobackend"
)

// New returns a back end that cannot be configured.
func New() backend.Backend { return nobackend.New("consul") }
