//go:build unix

package suite

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestCloseEndsWaitingGrants checks that a broker can be closed while a package waits for a set in use.
func TestCloseEndsWaitingGrants(t *testing.T) {
	p, started := poolOf(t, nil)
	_, release, err := p.take(t.Context(), kubefleet)
	if err != nil {
		t.Fatal(err)
	}
	b := serveFor(t, t.TempDir(), p)
	conn, err := net.Dial("unix", b.socket())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := json.NewEncoder(conn).Encode(request{Dir: filepath.Join(b.root, "internal", "engine", "kubefleet")}); err != nil {
		t.Fatal(err)
	}
	for !hasConns(b) {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan error, 1)
	go func() { closed <- b.close() }()
	select {
	case err = <-closed:
		release()
	case <-time.After(20 * time.Second):
		t.Error("the broker waits for a set that is in use")
		release()
		err = <-closed
	}
	if err != nil {
		t.Error(err)
	}
	if *started != 1 {
		t.Errorf("%d sets were started", *started)
	}
}

func hasConns(b *broker) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.conns) > 0
}

// TestConnectionAfterClose checks that a connection is closed if it was accepted before the broker closed and registered afterwards.
func TestConnectionAfterClose(t *testing.T) {
	p, _ := poolOf(t, nil)
	b := serveFor(t, t.TempDir(), p)
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	if err := theirs.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if b.add(ours) {
		t.Error("the connection is registered")
	}
	if _, err := theirs.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is open: %v", err)
	}
}
