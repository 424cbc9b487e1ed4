package engine

import (
	"reflect"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

func TestFindUnmanaged(t *testing.T) {
	t.Parallel()
	of := func(name string) AppliedOverride {
		return AppliedOverride{Reference: override.Reference{Namespace: "web", Name: name}, Record: "ConfigMap " + name}
	}
	p := &Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Overrides: []AppliedOverride{of("planted"), of("ours")}},
		{Name: "member-2", Overrides: []AppliedOverride{of("ours"), of("another")}},
		{Name: "member-3", Overrides: []AppliedOverride{of("planted")}},
	}}
	p.FindUnmanaged(func(r override.Reference) bool { return r == of("ours").Reference })
	want := []UnmanagedOverride{{of("another"), []string{"member-2"}}, {of("planted"), []string{"member-1", "member-3"}}}
	if !reflect.DeepEqual(p.Unmanaged, want) {
		t.Errorf("%+v", p.Unmanaged)
	}
	if p.FindUnmanaged(func(override.Reference) bool { return true }); len(p.Unmanaged) > 0 {
		t.Errorf("%+v", p.Unmanaged)
	}
}
