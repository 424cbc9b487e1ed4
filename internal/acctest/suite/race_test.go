//go:build unix

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// raceTests is the test file of a separate module. Each test encodes or decodes JSON in several goroutines.
const raceTests = `package races

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

func TestCaches(t *testing.T) {
	for i := range 100 {
		fresh := reflect.StructOf([]reflect.StructField{{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[map[string][]any](), Tag: "json:\"f\""}})
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				value := reflect.New(fresh).Interface()
				if err := json.Unmarshal([]byte("{\"f\":{\"a\":[1,null]}}"), value); err != nil {
					t.Error(err)
				}
				if _, err := json.Marshal(value); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
}

func TestField(t *testing.T) {
	value := struct{ A string }{}
	var running sync.WaitGroup
	running.Go(func() { _, _ = json.Marshal(&value) })
	running.Go(func() { value.A = "changed" })
	running.Wait()
}

func TestMap(t *testing.T) {
	value := map[string]any{"a": map[string]any{}}
	var running sync.WaitGroup
	running.Go(func() { _, _ = json.Marshal(value) })
	running.Go(func() { value["a"].(map[string]any)["b"] = "changed" })
	running.Wait()
}

func TestDecoded(t *testing.T) {
	value := struct{ A string }{}
	var running sync.WaitGroup
	running.Go(func() { _ = json.Unmarshal([]byte("{\"A\":\"changed\"}"), &value) })
	running.Go(func() { _ = value.A + "!" })
	running.Wait()
}
`

// TestRacesInJSON checks that the detector reports races on values that encoding/json reads and writes, and no false races in its caches, whatever the user's
// options of the detector are.
func TestRacesInJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module races\n\ngo 1.26\n", "races_test.go": raceTests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env, flags := withRace()
	env = append(os.Environ(), env...)
	program := filepath.Join(dir, "races.test")
	build := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"test", "-c", "-o", program}, flags, []string{"."})...)
	build.Dir, build.Env = dir, env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, races := range map[string]bool{"TestCaches": false, "TestField": true, "TestMap": true, "TestDecoded": true} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+name+"$")
			cmd.Dir, cmd.Env = dir, append(slices.Clip(env), "GORACE="+raceOptions("report_bugs=0 exitcode=0 atexit_sleep_ms=0"))
			out, err := cmd.CombinedOutput()
			if reported := strings.Contains(string(out), "DATA RACE"); reported != races || (err != nil) != races {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestUninstrumentedPackages checks that Kubernetes clients still use the packages that the detector does not instrument.
func TestUninstrumentedPackages(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", modulePath+"/internal/kube")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range uninstrumented {
		if !slices.Contains(strings.Fields(string(out)), path) {
			t.Errorf("internal/kube does not import %s: find the new path of the package", path)
		}
	}
}
