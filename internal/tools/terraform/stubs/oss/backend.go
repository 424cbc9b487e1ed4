// Package oss replaces the state back end "oss", which tests do not use.
package oss

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/legacy/nobackend"
)

// New returns a back end that cannot be configured.
func New() backend.Backend { return nobackend.New("oss") }
