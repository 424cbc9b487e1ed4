package credential

import (
	"context"
	"crypto/x509"
	"encoding/pem"

	"k8s.io/client-go/rest"
)

// Resolved are credentials for another program: a token, a certificate with its key in PEM, or both.
type Resolved struct {
	Token            string
	Certificate, Key []byte
}

// Resolve returns the credentials of a configuration's plugin. It runs the plugin if there are no cached credentials, or if they have
// expired.
func Resolve(ctx context.Context, config *rest.Config) (Resolved, error) {
	plugin, err := For(config)
	if err != nil {
		return Resolved{}, err
	}
	found, err := plugin.get(ctx, nil)
	if err != nil {
		return Resolved{}, err
	}
	out := Resolved{Token: found.token}
	if found.certificate == nil {
		return out, nil
	}
	for _, der := range found.certificate.Certificate {
		out.Certificate = append(out.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	key, err := x509.MarshalPKCS8PrivateKey(found.certificate.PrivateKey)
	if err != nil {
		return Resolved{}, &Error{Text: "the key of the client certificate is of a kind that cannot be passed to another cluster"}
	}
	out.Key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return out, nil
}
