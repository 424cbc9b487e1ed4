package controlplane

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"
)

func TestFreePort(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	if port < firstPort || port > lastPort {
		t.Errorf("port %d", port)
	}
	listener, err := net.Listen("tcp", loopback(port))
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
}

func TestOnFreePorts(t *testing.T) {
	next := 0
	pick := func() (int, error) { next++; return next, nil }
	taken := fmt.Errorf("etcd: %w", errPortTaken)
	other := errors.New("other")

	var got [][]int
	err := onFreePorts(2, pick, func(ports []int) error {
		got = append(got, ports)
		if len(got) < 3 {
			return taken
		}
		return nil
	})
	if err != nil || len(got) != 3 || !slices.Equal(got[2], []int{5, 6}) {
		t.Errorf("third attempt: %v, ports %v", err, got)
	}

	calls := 0
	err = onFreePorts(1, pick, func([]int) error { calls++; return other })
	if !errors.Is(err, other) || calls != 1 {
		t.Errorf("another error: %v after %d calls", err, calls)
	}

	calls = 0
	err = onFreePorts(1, pick, func([]int) error { calls++; return taken })
	if !errors.Is(err, errPortTaken) || calls != portAttempts {
		t.Errorf("a port that stays taken: %v after %d calls", err, calls)
	}
}

// A long-running API server must not spend its time on garbage collection, and fifty must fit into a machine's memory.
func TestMemoryOfAPIServers(t *testing.T) {
	for clusters, want := range map[int]int{0: 600, 1: 600, 4: 600, 8: 400, 16: 200, 51: 200} {
		if got := apiServerMemoryOf(clusters); got != want {
			t.Errorf("%d clusters: %d MiB, want %d", clusters, got, want)
		}
	}
}

func TestHeapGrowth(t *testing.T) {
	for clusters, want := range map[int]int{1: 200, 4: 200, 8: 200, 9: 50, 51: 50} {
		if got := heapGrowthOf(clusters); got != want {
			t.Errorf("%d clusters: %d %%, want %d", clusters, got, want)
		}
	}
}

func TestMemoryLimitsGiveWay(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "1GiB")
	if env := memoryLimits(50, 100); !slices.Equal(env, []string{"GOGC=50"}) {
		t.Errorf("limits %v", env)
	}
}
