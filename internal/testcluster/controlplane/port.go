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

// Ports are taken from below the range that systems use for outgoing
// connections (32768 upwards on Linux, 49152 elsewhere). So no passing
// connection can take the port of a member while its API server is down.
const (
	firstPort = 20000
	lastPort  = 29999

	portAttempts = 5
)

// errPortTaken says that somebody else was quicker to listen on a port.
var errPortTaken = errors.New("the port is taken")

// freePort finds a port on which nobody listens right now.
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

// onFreePorts calls start with count free ports, and again with others as long
// as it fails because one of them was taken in the meantime.
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

// ended explains why a child ended before it was ready.
func ended(child *process.Child) error {
	err := child.Failure()
	if strings.Contains(err.Error(), "address already in use") {
		return fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}

// waitFor calls ready until it succeeds. It gives up when ctx ends or one of
// the children does.
func waitFor(ctx context.Context, what string, children []*process.Child, ready func(context.Context) error) error {
	// Whoever holds the port of a child that could not get it may never answer.
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

// memoryLimits keep a server small; they are the only settings that do. The
// collector runs when the heap has grown by so many percent, and more often
// beyond the soft limit in MiB. Whoever sets the variables for the supervisor
// knows better.
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
