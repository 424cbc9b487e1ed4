// Package s3 replaces the state back end "s3", which tests do not use.
package s3

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/legacy/nobackend"
)

// New returns a back end that cannot be configured.
func New() backend.Backend { return nobackend.New("s3") }
