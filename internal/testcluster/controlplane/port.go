package controlplane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

// Ports are below the range for outgoing connections (32768 upwards on Linux, 49152 elsewhere), so that no outgoing connection can take a member's port while
// its API server is stopped.
const (
	firstPort = 20000
	lastPort  = 29999

	portAttempts = 5
)

// errPortTaken is returned when another process listens on the port first.
var errPortTaken = errors.New("the port is taken")

// freePort returns a port on which no process listens at the moment.
func freePort() (int, error) {
	const tries = 200
	for range tries {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		listener, err := net.Listen("tcp", loopback(port))
		if err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("found no free port between %d and %d on 127.0.0.1: stop what listens there", firstPort, lastPort)
}

// onFreePorts calls start with count ports from pick, and retries with ports from another call if one of them was taken in the meantime.
func onFreePorts(count int, pick func() (int, error), start func(ports []int) error) error {
	var err error
	for range portAttempts {
		ports := make([]int, count)
		for i := range ports {
			if ports[i], err = pick(); err != nil {
				return err
			}
		}
		if err = start(ports); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return fmt.Errorf("gave up after %d attempts: %w", portAttempts, err)
}

// ended describes why a child ended before it was ready.
func ended(child *process.Child) error {
	err := child.Failure()
	if strings.Contains(err.Error(), "address already in use") {
		return fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}

// waitFor calls ready until it succeeds, ctx ends, or one of the children ends.
func waitFor(ctx context.Context, what string, children []*process.Child, ready func(context.Context) error) error {
	// If another process has a child's port, a request to it may never return.
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, child := range children {
		go func() {
			select {
			case <-child.Done():
				cancel()
			case <-asking.Done():
			}
		}()
	}
	for {
		err := ready(asking)
		for _, child := range children {
			if !child.Running() {
				return fmt.Errorf("waiting for %s: %w", what, ended(child))
			}
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for %s: %w (last answer: %w)", what, context.Cause(ctx), err)
		}
		pause(asking)
	}
}

func loopback(port int) string {
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// memoryLimits returns environment variables that limit a server's memory. Garbage collection runs when the heap has grown by this percentage, and more often
// beyond the soft limit in MiB. Variables of the supervisor's own environment take precedence.
func memoryLimits(percent, mebibytes int) []string {
	limits := map[string]string{"GOGC": strconv.Itoa(percent), "GOMEMLIMIT": fmt.Sprintf("%dMiB", mebibytes)}
	var env []string
	for name, value := range limits {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
