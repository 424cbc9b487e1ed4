package hub

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/compatibility"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Stored is a configuration that versions of the provider have applied. A file for each version has the state and the objects that the version stored. In all
// texts, $ns stands for the name of the test's world.
type Stored struct {
	// Configuration is the configuration without the provider.
	Configuration string
	// Objects are the objects on the hub that the provider writes, such as "v1 ConfigMap $ns/name".
	Objects []string
	// Kept are the objects that remain after a destroy, because the placement took them over, such as "member-1 v1 ConfigMap $ns/name".
	Kept []string
}

// storedRelease is what a version of the provider has stored. UIDs are replaced by the names of their objects.
type storedRelease struct {
	// State is the state file, with the decoded private states.
	State   stateFile
	Objects []*unstructured.Unstructured
}

// stateFile is a state file of Terraform without check_results. The configurations have no outputs.
type stateFile struct {
	Version          int              `json:"version"`
	TerraformVersion string           `json:"terraform_version"`
	Serial           int              `json:"serial"`
	Lineage          string           `json:"lineage"`
	Outputs          map[string]any   `json:"outputs"`
	Resources        []map[string]any `json:"resources"`
}

// StoredReleases checks that this version reads the states of every released version and of the version in preparation, and the objects that they have written
// to the hub: the plan of the same configuration is empty, and a destroy deletes the objects and keeps those that a placement took over.
//
// With -update it writes what this version stores, unless the version is released.
func (f *Fleet) StoredReleases(t *testing.T, w *world.World, s Stored) {
	t.Helper()
	if f.Agents == nil {
		t.Skip("the files have the objects of a fake hub")
	}
	for i, version := range compatibility.Described(t) {
		run := f.NewWorkspace(t, f.Provider(f.Env.Kubeconfig)+w.Expand(s.Configuration))
		workspace.Must(t, run, "apply", "-auto-approve")
		file := version.StoredBy(f.Engine)
		names := s.names(w)
		if *harness.Update && i == 0 && !version.Released {
			s.write(t, w, run, file, names)
		}
		restore(t, w, run, file, names)
		workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
		workspace.Must(t, run, "destroy", "-auto-approve")
		for _, object := range s.Objects {
			w.AwaitGone(f.Env.Hub, object)
		}
		for _, object := range s.Kept {
			cluster, object, _ := strings.Cut(object, " ")
			w.Must(cluster, object)
		}
	}
}

// names returns pairs for a Replacer: a name, a UID or an address of this run, and the text that stands for it in a file.
func (s Stored) names(w *world.World) []string {
	out := []string{w.Name, "$ns"}
	for _, cluster := range []string{w.Env.Hub, "member-1"} { // the state identifies a cluster by this UID
		const identity = "v1 Namespace kube-system"
		out = append(out, string(w.Must(cluster, identity).GetUID()), "UID of "+cluster+" "+identity)
	}
	for _, object := range s.Objects {
		live := w.Must(w.Env.Hub, object)
		out = append(out, string(live.GetUID()), "UID of "+object)
		if address, found, _ := unstructured.NestedString(live.Object, "spec", "apiEndpoint"); found { // each run has other ports
			out = append(out, address, "address in "+object)
		}
	}
	return out
}

// write writes what this version has stored.
func (s Stored) write(t *testing.T, w *world.World, run *workspace.Workspace, file string, names []string) {
	t.Helper()
	out := storedRelease{}
	if err := json.Unmarshal([]byte(workspace.Must(t, run, "state", "pull")), &out.State); err != nil {
		t.Fatal(err)
	}
	out.State.Lineage = "" // a random text
	err := eachPrivate(out.State, func(private any) (any, error) {
		text, err := base64.StdEncoding.DecodeString(private.(string)) //nolint:forcetypeassert // the format of state files
		if err != nil {
			return nil, err
		}
		values, decoded := map[string][]byte{}, map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &values); err != nil {
			return nil, err
		}
		for key, value := range values {
			decoded[key] = value
		}
		return decoded, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range s.Objects {
		out.Objects = append(out.Objects, writable(w.Must(w.Env.Hub, object)))
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.NewReplacer(names...).Replace(string(text))+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writable returns the part of an object that clients write.
func writable(live *unstructured.Unstructured) *unstructured.Unstructured {
	out := manifest.WithoutServerSet(live, "ownerReferences", "finalizers")
	delete(out.Object, "status")
	return out
}

// restore replaces the state of a workspace and the objects on the hub by those that a version has stored.
func restore(t *testing.T, w *world.World, run *workspace.Workspace, file string, names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inverse := slices.Clone(names)
	slices.Reverse(inverse)
	var in storedRelease
	if err := json.Unmarshal([]byte(strings.NewReplacer(inverse...).Replace(string(text))), &in); err != nil {
		t.Fatal(err)
	}
	for _, stored := range in.Objects {
		ref := fixture.RefOf(stored)
		live, err := writable(w.FindRef(w.Env.Hub, ref)).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want, err := stored.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(live, want, live)
		if err == nil {
			err = w.On(w.Env.Hub).Merge(t.Context(), ref, patch, "", false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err = eachPrivate(in.State, func(private any) (any, error) {
		values := map[string][]byte{}
		for key, value := range private.(map[string]any) { //nolint:forcetypeassert // the test has written it
			if values[key], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
		text, err := json.Marshal(values)
		return base64.StdEncoding.EncodeToString(text), err
	})
	if err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(in.State)
	if err == nil {
		err = os.WriteFile(filepath.Join(run.Dir, "terraform.tfstate"), state, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// eachPrivate replaces the private state of each resource in a state file.
func eachPrivate(state stateFile, replace func(any) (any, error)) error {
	for _, resource := range state.Resources {
		instances, _ := resource["instances"].([]any)
		for _, instance := range instances {
			values, _ := instance.(map[string]any)
			if private, found := values["private"]; found {
				replaced, err := replace(private)
				if err != nil {
					return err
				}
				values["private"] = replaced
			}
		}
	}
	return nil
}
