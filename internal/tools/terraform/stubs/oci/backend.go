// Package oci replaces the state back end "oci", which tests do not use.
package oci

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/legacy/nobackend"
)

// New returns a back end that cannot be configured.
func New() backend.Backend { return nobackend.New("oci") }
