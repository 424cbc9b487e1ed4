package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Members registers all members, for a configuration of its own.
const Members = `
resource "fleet_member_cluster" "member" {
  for_each = { member-1 = "production", member-2 = "production", member-3 = "canary" }
  name     = each.key
  labels   = { environment = each.value }
}
`

// membership is the registration of all members for tests that run side by side.
type membership struct {
	mu sync.Mutex
	// tests is how many have asked for it and have not ended.
	tests int
	// leave ends it; nil before it begins.
	leave func() error
}

// Parallel runs a test beside others, with the members that [Members] registers. A test that calls it must not register members; it may adopt one
// with adopt_existing. Tests that register members run one after the other and end before the first parallel test continues.
func (f *Fleet) Parallel(t *testing.T) {
	t.Helper()
	clusters.Need(t, f.Env)
	f.members.mu.Lock()
	f.members.tests++
	f.members.mu.Unlock()
	t.Cleanup(func() {
		if err := f.leave(); err != nil {
			t.Error(err)
		}
	})
	t.Parallel()
	if err := f.join(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// join registers the members unless that is done.
func (f *Fleet) join(ctx context.Context) error {
	f.members.mu.Lock()
	defer f.members.mu.Unlock()
	if f.members.leave != nil {
		return nil
	}
	w, err := workspace.Apply(ctx, func(dir string) (*workspace.Workspace, error) {
		return f.open(ctx, dir, dir, f.Provider(f.Env.Kubeconfig)+Members)
	})
	if err != nil {
		return fmt.Errorf("register the members: %w", err)
	}
	f.members.leave = func() error {
		err := w.Destroy(ctx)
		if err != nil {
			err = fmt.Errorf("remove the members: %w", err)
		}
		return errors.Join(err, os.RemoveAll(w.Dir))
	}
	return nil
}

// leave removes the members when the last of the tests that have asked for them has ended.
func (f *Fleet) leave() error {
	f.members.mu.Lock()
	defer f.members.mu.Unlock()
	if f.members.tests--; f.members.tests > 0 || f.members.leave == nil {
		return nil
	}
	leave := f.members.leave
	f.members.leave = nil
	return leave()
}

// sweep deletes the placements that tests have left, which the agents of another package would go on with.
func (f *Fleet) sweep(ctx context.Context) error {
	client, err := f.Env.Client(f.Env.Hub)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	for _, kind := range f.Placements {
		found, err := client.List(ctx, kind[0], kind[1], "", "")
		if err != nil {
			errs = append(errs, err)
		}
		for _, u := range found {
			all.Go(func() {
				if err := client.Delete(ctx, u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName()); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = append(errs, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err))
				}
			})
		}
	}
	all.Wait()
	return errors.Join(errs...)
}
