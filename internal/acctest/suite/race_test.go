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

// ofJSON are tests of a package of its own. Each decodes and encodes in several goroutines.
const ofJSON = `package races

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
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				value := reflect.New(fresh).Interface()
				if err := json.Unmarshal([]byte("{\"f\":{\"a\":[1,null]}}"), value); err != nil {
					t.Error(err)
				}
				if _, err := json.Marshal(value); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestField(t *testing.T) {
	value := struct{ A string }{}
	var all sync.WaitGroup
	all.Go(func() { _, _ = json.Marshal(&value) })
	all.Go(func() { value.A = "changed" })
	all.Wait()
}

func TestMap(t *testing.T) {
	value := map[string]any{"a": map[string]any{}}
	var all sync.WaitGroup
	all.Go(func() { _, _ = json.Marshal(value) })
	all.Go(func() { value["a"].(map[string]any)["b"] = "changed" })
	all.Wait()
}

func TestDecoded(t *testing.T) {
	value := struct{ A string }{}
	var all sync.WaitGroup
	all.Go(func() { _ = json.Unmarshal([]byte("{\"A\":\"changed\"}"), &value) })
	all.Go(func() { _ = value.A + "!" })
	all.Wait()
}
`

// TestRacesInJSON checks that the detector reports races in values that are decoded and encoded, and none in the caches of the decoder, which it does not look
// into.
func TestRacesInJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module races\n\ngo 1.26\n", "races_test.go": ofJSON} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env, flags := withRace()
	for name, races := range map[string]bool{"TestCaches": false, "TestField": true, "TestMap": true, "TestDecoded": true} {
		cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"test", "-count=1", "-run=^" + name + "$"}, flags, []string{"."})...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if reported := strings.Contains(string(out), "DATA RACE"); reported != races || (err != nil) != races {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
