package compatibility

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// conditionalReplacements are the attributes whose changes replace a resource under conditions that no schema describes, for example with one engine and not
// with another. The keys are packages below internal/provider.
var conditionalReplacements = map[string]struct{ resources, paths []string }{
	"placement":    {[]string{"fleet_crp", "fleet_resource_placement"}, []string{"name", "policy.placement_type"}},
	"stagedupdate": {[]string{"fleet_staged_update_run"}, []string{"status"}},
}

// addConditionalReplacements sets MayReplace.
func addConditionalReplacements(t *testing.T, to Schemas) {
	t.Helper()
	for _, one := range conditionalReplacements {
		for _, name := range one.resources {
			for _, path := range one.paths {
				attribute, found := to["resource "+name].Attributes[path]
				if !found {
					t.Fatalf("resource %s has no %s", name, path)
				}
				attribute.MayReplace = true
				to["resource "+name].Attributes[path] = attribute
			}
		}
	}
}

// replaces reports whether a change of an attribute replaces the resource: the attribute, of any type, or the objects in it have a plan modifier
// RequiresReplace or RequiresReplaceIfConfigured.
func replaces(ctx context.Context, attribute reflect.Value) bool {
	always := []string{stringplanmodifier.RequiresReplace().Description(ctx), stringplanmodifier.RequiresReplaceIfConfigured().Description(ctx)}
	modifiers := []reflect.Value{attribute.FieldByName("PlanModifiers")}
	if nested := attribute.FieldByName("NestedObject"); nested.IsValid() {
		modifiers = append(modifiers, nested.FieldByName("PlanModifiers"))
	}
	for _, list := range modifiers {
		for i := 0; list.IsValid() && i < list.Len(); i++ {
			if slices.Contains(always, list.Index(i).Interface().(planmodifier.Describer).Description(ctx)) {
				return true
			}
		}
	}
	return false
}

// TestReplaces checks that addRulesBelow finds attributes of several types whose change replaces the resource.
func TestReplaces(t *testing.T) {
	t.Parallel()
	in := schema.Schema{Attributes: map[string]schema.Attribute{
		"text":     schema.StringAttribute{PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplace()}},
		"flag":     schema.BoolAttribute{PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplaceIfConfigured()}},
		"list":     schema.ListAttribute{PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()}},
		"objects":  schema.ListNestedAttribute{NestedObject: schema.NestedAttributeObject{PlanModifiers: []planmodifier.Object{objectplanmodifier.RequiresReplace()}}},
		"unstable": schema.BoolAttribute{PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}},
		"single": schema.SingleNestedAttribute{Attributes: map[string]schema.Attribute{
			"flag": schema.BoolAttribute{PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()}},
		}},
	}}
	out := Schema{Attributes: map[string]Attribute{}}
	addRulesBelow(t.Context(), out, "", reflect.ValueOf(in))
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(out.Attributes)), func(path string) bool { return !out.Attributes[path].Replaces })
	if diff := cmp.Diff([]string{"flag", "list", "objects", "single.flag", "text"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

var (
	appended = regexp.MustCompile(`RequiresReplace\.Append\((path\.Root\("[a-z_]+"\)(?:\.AtName\("[a-z_]+"\))*)?`)
	pathStep = regexp.MustCompile(`"([a-z_]+)"`)
)

// TestConditionalReplacements compares the list with the code of the provider.
func TestConditionalReplacements(t *testing.T) {
	t.Parallel()
	want, got := map[string][]string{}, map[string][]string{}
	for folder, one := range conditionalReplacements {
		want[folder] = one.paths
	}
	root := filepath.FromSlash("../../provider")
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		for _, call := range appended.FindAllStringSubmatch(string(text), -1) {
			if call[1] == "" {
				t.Errorf("%s: the path of %s is not written in place", name, call[0])
			}
			var steps []string
			for _, step := range pathStep.FindAllStringSubmatch(call[1], -1) {
				steps = append(steps, step[1])
			}
			got[filepath.ToSlash(folder)] = append(got[filepath.ToSlash(folder)], strings.Join(steps, "."))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, paths := range got {
		slices.Sort(paths)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditionalReplacements differs from the code (-list +code):\n%s", diff)
	}
}
