//go:build unix

package clusters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// crashVariable turns the test binary into a process that starts clusters,
// writes the path of their kubeconfig to the named file and waits to be killed.
const crashVariable = "FLEET_TEST_CRASH"

func crashLater() {
	ctx := context.Background()
	started, err := clusters.Start(ctx, clusters.Options{Own: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	file := os.Getenv(crashVariable)
	if err := os.WriteFile(file+".new", []byte(started.Kubeconfig), 0o600); err != nil {
		os.Exit(1)
	}
	_ = os.Rename(file+".new", file)
	select {}
}

// running is the output of status -json for the clusters next to a kubeconfig.
type running struct {
	Supervisor, Etcd int
	Clusters         []struct {
		Name      string
		Processes map[string]int
	}
}

func (r running) pids() []int {
	pids := []int{r.Supervisor, r.Etcd}
	for _, cluster := range r.Clusters {
		for _, pid := range cluster.Processes {
			pids = append(pids, pid)
		}
	}
	return pids
}

func inspect(t *testing.T, kubeconfig string) running {
	t.Helper()
	binary := must(clusters.Binary(t.Context(), t.Output()))(t)
	out, err := exec.CommandContext(t.Context(), binary, "status", "-json", "-dir", filepath.Dir(kubeconfig)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var r running
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkEnded returns an error while any of the processes is running. Zombies count as ended.
func checkEnded(pids []int) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			continue
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if runtime.GOOS == "linux" && (len(stat) == 0 || isZombie(stat)) {
			continue
		}
		return fmt.Errorf("process %d still runs", pid)
	}
	return nil
}

// isZombie reports whether /proc/PID/status describes a process that has ended.
func isZombie(status []byte) bool {
	return bytes.Contains(status, []byte("State:\tZ")) || bytes.Contains(status, []byte("State:\tX"))
}

func TestStopLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, env)
	own, err := clusters.Start(t.Context(), clusters.Options{Members: 1, NoHub: true, Own: true, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	if own.Outlives() || !own.Disposable() {
		t.Error("a package's clusters must end with it")
	}
	pids := inspect(t, own.Kubeconfig).pids()
	if want := 2 + 4; len(pids) != want { // supervisor and etcd, member
		t.Errorf("%d processes, want %d", len(pids), want)
	}
	begin := time.Now()
	if err := own.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("stopped in %s", time.Since(begin).Round(time.Millisecond))
	if err := checkEnded(pids); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(own.Kubeconfig)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory still exists: %v", err)
	}
	if err := own.Stop(); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

func TestKilledSupervisorTakesItsChildrenAlong(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, env)
	own, err := clusters.Start(t.Context(), clusters.Options{Members: 1, NoHub: true, Own: true, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	r := inspect(t, own.Kubeconfig)
	if err := syscall.Kill(r.Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "children gone", 10*time.Second, func() error { return checkEnded(r.pids()) })
	if err := own.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(own.Kubeconfig)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory still exists after Stop: %v", err)
	}
}

func TestKilledTestTakesItsClustersAlong(t *testing.T) {
	clusters.Need(t, env)
	file := filepath.Join(t.TempDir(), "kubeconfig-path")
	crash := exec.CommandContext(t.Context(), os.Args[0])
	crash.Env = append(os.Environ(), crashVariable+"="+file)
	crash.Stderr = t.Output()
	if err := crash.Start(); err != nil {
		t.Fatal(err)
	}
	var kubeconfig []byte
	eventually(t, "clusters started", time.Minute, func() (err error) {
		kubeconfig, err = os.ReadFile(file)
		return err
	})
	pids := inspect(t, string(kubeconfig)).pids()
	if err := crash.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = crash.Wait()
	eventually(t, "processes gone", 10*time.Second, func() error { return checkEnded(pids) })
	eventually(t, "directory gone", 10*time.Second, func() error {
		if _, err := os.Stat(filepath.Dir(string(kubeconfig))); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.New("still there")
	})
}

// must unwraps a result or fails the test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// get sends a GET request for a path and returns the error of the response.
func get(t *testing.T, config *rest.Config, path string) error {
	t.Helper()
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return c.Get().AbsPath(path).Do(t.Context()).Error()
}
