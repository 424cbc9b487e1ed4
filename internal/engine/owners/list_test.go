package owners

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// TestListingAdd checks that an object that two API groups serve is in the list once, and that objects without a UID are not taken for one object.
func TestListingAdd(t *testing.T) {
	t.Parallel()
	l := &listing{request: ListRequest{Limit: 10}, counts: map[string]int{}, found: map[identity]Owned{}}
	add := func(group, namespace, name string, uid types.UID) {
		owned := Owned{Identifier: manifest.Identifier{Group: group, Version: "v1", Kind: "Widget", Namespace: namespace, Name: name}}
		l.add(kube.Kind{Group: group, Version: "v1", Kind: "Widget"}, 1, map[identity]Owned{identityOf(uid, owned): owned})
	}
	add("new.example.com", "shop", "stored", "1")
	add("example.com", "shop", "stored", "1")
	for _, name := range []string{"a", "b"} {
		for _, namespace := range []string{"shop", "web"} {
			add("aggregated.example.com", namespace, name, "")
		}
	}
	var got []string
	for _, owned := range l.result(nil).Objects {
		got = append(got, owned.Group+" "+owned.Namespace+"/"+owned.Name)
	}
	want := []string{
		"aggregated.example.com shop/a", "aggregated.example.com shop/b", "aggregated.example.com web/a", "aggregated.example.com web/b", "example.com shop/stored",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if count := l.counts["Widget.aggregated.example.com"]; count != 4 {
		t.Errorf("counted %d objects without a UID", count)
	}
}
