package direct_test

import (
	"context"
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
)

// TestMemberBelongsToOneResource checks that a member's record belongs to one resource: another resource can neither register the member, nor change, read or
// delete it.
func TestMemberBelongsToOneResource(t *testing.T) {
	w := newWorld(t)
	e := w.Engine()
	before, err := e.ReadMember(t.Context(), "member-2", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Remove("member-2", "v1 ConfigMap "+direct.Namespace+"/member-cluster")
	client := w.On("member-2")
	t.Cleanup(func() { // restores the record for other tests; the context of the test has ended by then
		ctx := context.Background()
		err := client.Delete(ctx, "v1", "ConfigMap", direct.Namespace, "member-cluster")
		if err == nil {
			_, err = w.Past().ApplyMember(ctx, engine.Member{Spec: before.Spec}, &engine.Member{})
		}
		if err != nil {
			t.Error(err)
		}
	})
	first, err := e.ApplyMember(t.Context(), engine.Member{ID: "first", Spec: before.Spec}, nil)
	if err != nil || first.ID != "first" {
		t.Fatalf("%+v, %v", first, err)
	}
	var exists *engine.ExistsError
	if _, err := e.ApplyMember(t.Context(), engine.Member{ID: "second", Spec: before.Spec}, nil); !errors.As(err, &exists) {
		t.Errorf("another resource registers the same: %v", err)
	}
	var elsewhere *engine.ManagedElsewhereError
	second := engine.Member{ID: "second", Spec: before.Spec}
	if _, err := e.ApplyMember(t.Context(), second, &second); !errors.As(err, &elsewhere) {
		t.Errorf("another resource changes it: %v", err)
	}
	if _, err := e.ReadMember(t.Context(), "member-2", &second); !errors.As(err, &elsewhere) {
		t.Errorf("another resource reads it: %v", err)
	}
	if err := e.DeleteMember(t.Context(), second); !errors.As(err, &elsewhere) {
		t.Errorf("another resource deletes it: %v", err)
	}
	imported, err := e.ReadMember(t.Context(), "member-2", nil)
	if err != nil || imported.ID != "first" {
		t.Errorf("an import reads %+v, %v", imported, err)
	}
	// A state of an early version has no identity, so it uses the identity in the record.
	if got, err := e.ApplyMember(t.Context(), second, &engine.Member{Spec: before.Spec}); err != nil || got.ID != "first" {
		t.Errorf("a resource without an identity has %q, %v", got.ID, err)
	}
}
