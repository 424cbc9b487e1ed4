package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestWorldWith checks that the kinds and Namespaces of both worlds remain, also those on the same cluster, and that neither world changes.
func TestWorldWith(t *testing.T) {
	t.Parallel()
	widget, gadget := schema.GroupVersionKind{Kind: "Widget"}, schema.GroupVersionKind{Kind: "Gadget"}
	first := World{Namespaces: Namespaces{"a": {"shop": "one", "web": "one"}, "b": {"shop": "one"}}, Kinds: Kinds{"a": {widget: "one"}}}
	second := World{Namespaces: Namespaces{"a": {"web": "two", "db": "two"}, "c": {"db": "two"}}, Kinds: Kinds{"a": {gadget: "two"}}}
	both := first.With(second)
	want := World{
		Namespaces: Namespaces{"a": {"shop": "one", "web": "two", "db": "two"}, "b": {"shop": "one"}, "c": {"db": "two"}},
		Kinds:      Kinds{"a": {widget: "one", gadget: "two"}},
	}
	if diff := cmp.Diff(want, both, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	both.Namespaces.Withdraw("one")
	both.Kinds.Withdraw("two")
	if len(first.Namespaces["a"]) != 2 || len(second.Kinds["a"]) != 1 {
		t.Errorf("a change of the result changed %v, %v", first, second)
	}
}
