// Package pki creates the keys and certificates of one test cluster. Each cluster has its own authority, so that other clusters reject its credentials, as real
// clusters do.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// lifetime is far longer than any test run. Certificates start in the past, because clocks of containers and their hosts can differ.
const (
	lifetime  = 365 * 24 * time.Hour
	backdated = time.Hour
)

// Pair is a certificate with its private key, both PEM encoded.
type Pair struct {
	Cert []byte
	Key  []byte
}

// Write writes the pair to two files that only their owner can read.
func (p Pair) Write(certFile, keyFile string) error {
	if err := os.WriteFile(certFile, p.Cert, 0o600); err != nil {
		return err
	}
	return os.WriteFile(keyFile, p.Key, 0o600)
}

// Authority signs the certificates of one cluster.
type Authority struct {
	// CertPEM is the certificate that clients and servers trust.
	CertPEM []byte

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority returns a new self-signed authority.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{CertPEM: encode("CERTIFICATE", der), cert: cert, key: key}, nil
}

// Server issues a serving certificate for loopback and the given host names. It also has the client usage, which etcd needs for its gateway.
func (a *Authority) Server(name string, hosts ...string) (Pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames = []string{"localhost"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return a.issue(template)
}

// Client issues a client certificate. Kubernetes takes the user from the common name and the groups from the organizations.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: user, Organization: groups})
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

// TLS returns the configuration of a client that trusts only this authority and presents the pair.
func (a *Authority) TLS(client Pair) (*tls.Config, error) {
	cert, err := tls.X509KeyPair(client.Cert, client.Key)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// SigningKey creates a key for service account tokens: the private key to sign and the public key to verify, both PEM encoded.
func SigningKey() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	privateDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	publicDER, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return encode("EC PRIVATE KEY", privateDER), encode("PUBLIC KEY", publicDER), nil
}

// Token returns a random bearer token.
func Token() string {
	return rand.Text()
}

func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	certDER, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: encode("CERTIFICATE", certDER), Key: encode("PRIVATE KEY", keyDER)}, nil
}

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-backdated),
		NotAfter:     now.Add(lifetime),
	}, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
