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

// Members is a configuration that registers all members.
const Members = `
resource "fleet_member_cluster" "member" {
  for_each = { member-1 = "production", member-2 = "production", member-3 = "canary" }
  name     = each.key
  labels   = { environment = each.value }
}
`

// membership is the shared registration of all members for parallel tests.
type membership struct {
	mu sync.Mutex
	// tests is the number of running tests that use the registration.
	tests int
	// leave removes the registration, nil without one.
	leave func() error
}

// Parallel runs a test in parallel with others, with the members that [Members] registers. A test that calls it must not register members, but may adopt one
// with adopt_existing. Tests that register members run sequentially and end before the first parallel test continues.
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

// join registers the members, unless they are registered already.
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

// leave removes the members when the last test that uses them has ended.
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

// sweep deletes the placements that tests have kept. Agents of another package would continue to process them.
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
