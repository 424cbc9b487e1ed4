package kubefleet_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

const group = "placement.kubernetes-fleet.io/v1beta1 "

// actsAsHub skips a test that itself writes the status of objects, if the hub is real and its own agent writes the status.
func actsAsHub(t *testing.T) {
	t.Helper()
	if agents == nil {
		t.Skip("the test acts as the hub")
	}
}

// setStatus sets the conditions of an object that a hub's agent would set, as soon as the object exists.
func setStatus(w *enginetest.World, find func(context.Context) (fixture.Ref, error), status string) error {
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	for {
		ref, err := find(ctx)
		if err == nil && ref.Name != "" {
			err = w.On(w.Env.Hub).Merge(ctx, ref, []byte(status), "status", false)
		}
		if err == nil && ref.Name != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("there is no such object: %w", errors.Join(ctx.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func condition(conditionType, status, reason string) string {
	return fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":"","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z"}`,
		conditionType, status, reason)
}

// TestStagedUpdate checks that a strategy and a run are read back with the values that were written. It follows the run until a stage needs an approval,
// approves the stage, and follows the run to its end. The test acts as the hub.
func TestStagedUpdate(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	actsAsHub(t)
	e := w.Engine()
	name := engine.Reference{Name: w.Name}
	strategy := engine.UpdateStrategy{Reference: name, Spec: stagedupdate.Strategy{Stages: []stagedupdate.Stage{
		{Name: "canary", AfterStageTasks: []stagedupdate.Task{{Type: stagedupdate.Approval}, {Type: stagedupdate.TimedWait, WaitTime: "90s"}}},
		{Name: "rest", MaxConcurrency: "50%"},
	}}}
	if written, err := e.ApplyUpdateStrategy(w.Context(), strategy, nil); err != nil || written.UID == "" {
		t.Fatalf("%+v, %v", written, err)
	}
	if _, err := e.ApplyUpdateStrategy(w.Context(), strategy, nil); !isExists(err) {
		t.Errorf("a second one of the name: %v", err)
	}
	for _, prior := range []*engine.UpdateStrategy{&strategy, nil} {
		read, err := e.ReadUpdateStrategy(w.Context(), name, prior)
		if err != nil || len(read.Spec.Stages) != 2 || read.Spec.Stages[0].MaxConcurrency != "" || read.Spec.Stages[1].MaxConcurrency != "50%" {
			t.Errorf("read back: %+v, %v", read, err)
		}
		if prior != nil && read.Spec.Stages[0].AfterStageTasks[1].WaitTime != "90s" {
			t.Errorf("the time is written otherwise: %+v", read.Spec)
		}
	}
	run := engine.UpdateRun{Reference: name, Spec: stagedupdate.Run{PlacementName: w.Name, StrategyName: w.Name, State: stagedupdate.Started}}
	runRef := w.Ref(w.Env.Hub, group+"ClusterStagedUpdateRun "+w.Name)
	here := func(ref fixture.Ref) func(context.Context) (fixture.Ref, error) {
		return func(context.Context) (fixture.Ref, error) { return ref, nil }
	}
	request := w.Name + "-after-canary"
	waiting := `{"status":{"resourceSnapshotIndexUsed":"0","conditions":[` + condition("Initialized", "True", "UpdateRunInitializedSuccessfully") + "," +
		condition("Progressing", "False", "UpdateRunWaiting") + `],"stagesStatus":[{"stageName":"canary","clusters":[{"clusterName":"a"}],"afterStageTaskStatus":[` +
		`{"type":"Approval","approvalRequestName":"` + request + `","conditions":[` + condition("ApprovalRequestCreated", "True", "StageTaskApprovalRequestCreated") + `]}]}]}}`
	statusSet := make(chan error, 2)
	go func() { statusSet <- setStatus(w, here(runRef), waiting) }()
	_, status, err := e.ApplyUpdateRun(w.Context(), run, engine.RunOptions{Create: true, Wait: true})
	if err := errors.Join(err, <-statusSet); err != nil {
		t.Fatal(err)
	}
	if got := status.Approvals(); status.Phase() != stagedupdate.PhaseWaiting || len(got) != 1 || got[0] != request || status.ResourceSnapshotIndex != "0" {
		t.Errorf("it does not wait for the approval: %+v", status)
	}
	approval := engine.StageApproval{Run: name, Stage: "canary", Wait: true}
	if _, approved, err := e.ApproveStage(w.Context(), approval); approved || err == nil || !strings.Contains(err.Error(), "does not wait for the approval") {
		t.Errorf("approved a task that does not wait: %v", err)
	}
	w.Put(w.Env.Hub, `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterApprovalRequest, metadata: {name: `+request+`}, spec: {parentStageRollout: $ns, targetStage: canary}}`)
	go func() {
		statusSet <- setStatus(w, func(ctx context.Context) (fixture.Ref, error) {
			u, err := w.On(w.Env.Hub).Find(ctx, w.Ref(w.Env.Hub, group+"ClusterApprovalRequest "+request))
			if err != nil || u == nil {
				return fixture.Ref{}, err
			}
			if conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions"); len(conditions) == 0 {
				return fixture.Ref{}, nil
			}
			return runRef, nil
		}, `{"status":{"conditions":[`+condition("Succeeded", "True", "UpdateRunSucceeded")+`]}}`)
	}()
	last, approved, err := e.ApproveStage(w.Context(), approval)
	if err := errors.Join(err, <-statusSet); err != nil || !approved || last.Phase() != stagedupdate.PhaseSucceeded {
		t.Errorf("it is approved: %v, and has not succeeded: %+v, %v", approved, last, err)
	}
	if read, _, err := e.ReadUpdateRun(w.Context(), name, nil); err != nil || read.Spec != run.Spec {
		t.Errorf("read back: %+v, %v", read, err)
	}
	for _, err := range []error{
		e.DeleteUpdateRun(w.Context(), engine.UpdateRun{Reference: name}), e.DeleteUpdateStrategy(w.Context(), engine.UpdateStrategy{Reference: name}),
		e.DeleteUpdateStrategy(w.Context(), engine.UpdateStrategy{Reference: name}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := e.ReadUpdateStrategy(w.Context(), name, nil); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("after the removal: %v", err)
	}
}

// TestSlowAnswer checks that an apply follows its run although one answer of the hub is slow. The wait budget of fail-fast reads does not apply to it.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.World(t, 1)
	actsAsHub(t)
	name := engine.Reference{Name: w.Name}
	ref := w.Ref(w.Env.Hub, group+"ClusterStagedUpdateRun "+w.Name)
	var written atomic.Bool
	w.Inject(clusters.Fault{Context: w.Env.Hub, Delay: 26 * time.Second, Times: 1, Match: func(r clusters.Request) bool {
		if r.Method == http.MethodPost {
			written.Store(true)
		}
		return r.Method == http.MethodGet && written.Load() && strings.Contains(r.Path, "clusterstagedupdateruns")
	}})
	statusSet := make(chan error, 1)
	go func() {
		statusSet <- setStatus(w, func(context.Context) (fixture.Ref, error) { return ref, nil },
			`{"status":{"conditions":[`+condition("Succeeded", "True", "UpdateRunSucceeded")+`]}}`)
	}()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	run := engine.UpdateRun{Reference: name, Spec: stagedupdate.Run{PlacementName: w.Name, StrategyName: w.Name, State: stagedupdate.Started}}
	_, status, err := w.Engine().ApplyUpdateRun(ctx, run, engine.RunOptions{Create: true, Wait: true})
	if err := errors.Join(err, <-statusSet); err != nil || status.Phase() != stagedupdate.PhaseSucceeded {
		t.Errorf("%+v, %v", status, err)
	}
}

// A budget is written and read. An eviction ends with the decision of the hub, and its request is deleted.
func TestDisruptions(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	actsAsHub(t)
	e := w.Engine()
	budget := engine.DisruptionBudget{Name: w.Name, Spec: disruption.Budget{MaxUnavailable: "25%"}}
	if _, err := e.ApplyDisruptionBudget(w.Context(), budget, nil); err != nil {
		t.Fatal(err)
	}
	other := engine.DisruptionBudget{Name: w.Name, Spec: disruption.Budget{MinAvailable: "1"}}
	if _, err := e.ApplyDisruptionBudget(w.Context(), other, &budget); err != nil {
		t.Fatal(err)
	}
	if read, err := e.ReadDisruptionBudget(w.Context(), w.Name, nil); err != nil || read.Spec != other.Spec || read.UID == "" {
		t.Errorf("read back: %+v, %v", read, err)
	}
	evictions := func(ctx context.Context) (fixture.Ref, error) {
		found, err := w.On(w.Env.Hub).List(ctx, "placement.kubernetes-fleet.io/v1beta1", "ClusterResourcePlacementEviction", "", "")
		for _, u := range found {
			if strings.HasPrefix(u.GetName(), w.Name) {
				return fixture.RefOf(&u), err
			}
		}
		return fixture.Ref{}, err
	}
	valid := condition("Valid", "True", "ClusterResourcePlacementEvictionValid")
	for name, c := range map[string]struct {
		conditions       string
		refused, invalid bool
	}{
		"executed": {valid + "," + condition("Executed", "True", "ClusterResourcePlacementEvictionExecuted"), false, false},
		"blocked":  {valid + "," + condition("Executed", "False", "ClusterResourcePlacementEvictionNotExecuted"), true, false},
		"invalid":  {condition("Valid", "False", "ClusterResourcePlacementEvictionInvalid"), true, true},
	} {
		statusSet := make(chan error, 1)
		go func() { statusSet <- setStatus(w, evictions, `{"status":{"conditions":[`+c.conditions+`]}}`) }()
		err := e.Evict(w.Context(), engine.Eviction{Placement: w.Name, Cluster: w.Members[0]})
		if err := <-statusSet; err != nil {
			t.Fatal(name, err)
		}
		refused, is := errors.AsType[*engine.EvictionError](err)
		if is != c.refused || is && refused.Invalid != c.invalid || !is && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := evictions(w.Context()); err != nil || left.Name != "" {
			t.Errorf("%s: the request is left: %v, %v", name, left, err)
		}
	}
	if err := e.DeleteDisruptionBudget(w.Context(), other); err != nil {
		t.Error(err)
	}
}
