package pki

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAuthoritiesDoNotKnowEachOther(t *testing.T) {
	one, other := authority(t), authority(t)
	serving, err := one.Server("server", "10.0.0.1", "kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(serving.Cert, serving.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := pair.Leaf.VerifyHostname("kubernetes"); err != nil {
		t.Error(err)
	}
	if !pair.Leaf.IPAddresses[1].Equal(net.IPv4(10, 0, 0, 1)) {
		t.Errorf("addresses %v", pair.Leaf.IPAddresses)
	}

	var user string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		subject := r.TLS.PeerCertificates[0].Subject
		user = subject.CommonName + " in " + subject.Organization[0]
	}))
	trust := clientConfig(t, one, one)
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: trust.RootCAs,
	}
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()

	if err := request(server.URL, trust); err != nil || user != "me in system:masters" {
		t.Errorf("own client: %v, user %q", err, user)
	}
	if request(server.URL, clientConfig(t, other, one)) == nil {
		t.Error("a client of another authority was let in")
	}
	if request(server.URL, clientConfig(t, one, other)) == nil {
		t.Error("a server of another authority was trusted")
	}
}

func authority(t *testing.T) *Authority {
	t.Helper()
	a, err := NewAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// clientConfig returns a client configuration with a certificate of issuer that trusts trusted.
func clientConfig(t *testing.T, issuer, trusted *Authority) *tls.Config {
	t.Helper()
	pair, err := issuer.Client("me", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	config, err := trusted.TLS(pair)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func request(url string, config *tls.Config) error {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
