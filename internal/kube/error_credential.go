package kube

import (
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
)

// isCredentialFailure reports whether the credential plugin of a connection failed.
func isCredentialFailure(err error) bool {
	var failed *credential.Error
	return errors.As(err, &failed)
}
