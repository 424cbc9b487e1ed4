//go:build unix

package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// socketVariable is the environment variable with the socket on which a run grants leases.
const socketVariable = clusters.SuiteVariable

// request is a wrapper's request for a lease.
type request struct {
	// Dir is the folder of the package.
	Dir string
}

// A lease has the environment and arguments of a test program.
type lease struct {
	// Env is added to the environment.
	Env []string
	// Args precede the program's arguments, which override them.
	Args []string
	// Err is the reason why the program cannot be started.
	Err string
}

// usage is the time that a test program took. Its wrapper reports the usage when the program has ended, which ends the lease.
type usage struct {
	Wall, CPU time.Duration
}

// broker grants leases.
type broker struct {
	root     string
	pool     *pool
	listener net.Listener
	dir      string
	// cancel ends the context of the grants.
	cancel context.CancelFunc
	// close ends all leases and the programs that still run. Further calls return the same error.
	close func() error

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	used   map[string]usage
	done   sync.WaitGroup
}

// serve listens on a new socket until the broker is closed. When ctx ends, no more sets are granted. root is the repository's root.
func serve(ctx context.Context, root string, pool *pool) (*broker, error) {
	dir, err := os.MkdirTemp("", "fleet-suite-")
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &broker{
		root: root, pool: pool, listener: listener, dir: dir, cancel: cancel, conns: map[net.Conn]bool{}, used: map[string]usage{},
	}
	b.close = sync.OnceValue(b.shutDown)
	b.done.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if b.add(conn) {
				b.done.Go(func() { b.grant(ctx, conn) })
			}
		}
	})
	return b, nil
}

// add registers a connection to be closed with the broker. It closes the connection and returns false if the broker is closed.
func (b *broker) add(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		_ = conn.Close()
		return false
	}
	b.conns[conn] = true
	return true
}

// grant serves one wrapper, from the start of its program to the end.
func (b *broker) grant(ctx context.Context, conn net.Conn) {
	defer func() {
		_ = conn.Close()
		b.mu.Lock()
		delete(b.conns, conn)
		b.mu.Unlock()
	}()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	var asked request
	if in.Decode(&asked) != nil {
		return
	}
	path, err := filepath.Rel(filepath.Join(b.root, "internal"), asked.Dir)
	if err != nil {
		_ = out.Encode(lease{Err: err.Error()})
		return
	}
	path = filepath.ToSlash(path)
	config := configOf(path)
	env, release, err := b.pool.take(ctx, config.clusters)
	if err != nil {
		_ = out.Encode(lease{Err: err.Error()})
		return
	}
	defer release()
	granted := lease{Env: env}
	if config.parallel > 0 {
		granted.Args = []string{fmt.Sprintf("-test.parallel=%d", config.parallel)}
	}
	if out.Encode(granted) != nil {
		return
	}
	var took usage
	if in.Decode(&took) != nil {
		return // the wrapper was killed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[path] = took
}

// socket returns the path that wrappers connect to.
func (b *broker) socket() string { return filepath.Join(b.dir, "socket") }

// shutDown implements broker.close.
func (b *broker) shutDown() error {
	b.cancel()
	err := b.listener.Close()
	b.mu.Lock()
	b.closed = true
	for conn := range b.conns {
		_ = conn.Close()
	}
	b.mu.Unlock()
	b.done.Wait()
	return errors.Join(err, os.RemoveAll(b.dir))
}

// usageOf returns the usage of a package's tests.
func (b *broker) usageOf(path string) usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used[path]
}
