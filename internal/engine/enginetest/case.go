package enginetest

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// scenario is a case: the objects on the member, the placed manifests and their strategy, and KubeFleet's decision on one of the objects.
type scenario struct {
	// name begins with the row of the decision table, or with the number of the worked case, if the case is one.
	name string
	// before are the steps of other clients on the member before the placement exists.
	before []step
	// earlier are the manifests of an earlier apply, empty for a new placement. earlierHow is the strategy of that apply, nil for the same as how.
	earlier    string
	earlierHow *placement.ApplyStrategy
	// since are the steps of other clients after the earlier apply.
	since []step
	// placed are the manifests under test, and how is their strategy.
	placed string
	how    placement.ApplyStrategy
	// object is the name of the object that want describes, empty for "it". If two objects have that name, want describes the last one.
	object string
	want   Want
	// readOnly is the predicted action with read-only credentials, empty for the same action.
	readOnly takeover.Action
	// altered: the API server or an admission policy changes the placed objects, so that they differ from their manifests.
	altered bool
	// secrets are values that must not appear in a preview, a result, an error or a record, neither in plain text nor in base64.
	secrets []string
	// inspect makes further checks of the prediction, also of the one with read-only credentials if readOnly is empty. after checks the member at the end.
	inspect func(c *Case, predicted engine.ObjectPreview)
	after   func(c *Case)
	// fails is a part of the error that both the preview and the apply return. If it is set, want is not checked.
	fails string
	// becomes is the reason in the status of an object that the apply does not apply, although the preview predicts that it does.
	becomes string
}

// Want is the result for an object that the preview must predict and the apply must produce.
type Want struct {
	// Action is empty for an object that is not applied. Reason then says why.
	Action takeover.Action
	// Reason is KubeFleet's reason, and Message a part of its message.
	Reason, Message string
	Diffs, Drifts   []placement.PatchDetail
	// Paths are the paths of the diffs. They replace Diffs where the values do not matter or vary.
	Paths []string
	// Fields are the differences as users see them, nil for any.
	Fields []string
}

// differing returns the scenario for an engine that deviates from KubeFleet.
func (s scenario) differing(d Deviation) scenario {
	if d.Want != nil {
		s.want = *d.Want
	}
	if d.ReadOnly != "" {
		s.readOnly = d.ReadOnly
	}
	if d.Fails != "" {
		s.fails = d.Fails
	}
	if d.After != nil {
		s.after = d.After
	}
	s.becomes, s.altered = d.Becomes, s.altered || d.Altered
	return s
}

// Case is a running scenario: a world with one member, and a placement with the world's name.
type Case struct {
	*World
	// Member is the cluster under test.
	Member string
	// Status is the member's status after the apply.
	Status placement.ClusterStatus
	// target is the object under test. The first preview sets it.
	target fixture.Ref
	// engine is the engine under test, behind the recorder. reader is one with read-only credentials, nil if the clusters have none.
	engine, reader engine.Engine
	readers        Clients
}

// newCase creates the world of a case.
func (c *contract) newCase(tb testing.TB) *Case {
	tb.Helper()
	w := c.fleet.world(tb, 1)
	w.Recorder, w.Names = c.recorder, c.Names
	out := &Case{World: w, Member: w.Members[0]}
	// Previews do not share reads.
	access := Access{Kubeconfig: c.recorder.Kubeconfig(), Options: kube.Options{UserAgent: w.Name, ShareFor: -1}}
	out.engine = c.fleet.Subject.New(w.Connect(access))
	if readers, ok := w.Readers(access); ok {
		out.readers, out.reader = readers, c.fleet.Subject.New(readers)
	}
	out.tidyAtEnd(w.Name)
	return out
}

// tidyAtEnd removes the records of a placement when the test ends, because all other cases would read them.
func (c *Case) tidyAtEnd(name string) {
	c.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if err := c.Fleet.Subject.Tidy(ctx, c.World, name); err != nil {
			c.Error(err)
		}
	})
}

// request returns a placement of objects on the member.
func (c *Case) request(text string, how placement.ApplyStrategy) Request {
	c.Helper()
	request := c.Placing("$ns", text).Strategy(how)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{c.Member}}
	return c.Supplied(request)
}

// hold stops agents from applying the placement until release is called or the test ends.
func (c *Case) hold() (release func()) {
	if c.Fleet.Subject.Pause == nil {
		return func() {}
	}
	release = c.Fleet.Subject.Pause(c.Name)
	c.Cleanup(release)
	return release
}

// requests returns the requests of the engines under test.
func (c *Case) requests() []clusters.Request { return c.Recorder.RequestsOf(c.Name) }

// run previews and applies the placement, and compares the results.
func (s scenario) run(c *Case) {
	c.do(s.before...)
	request := c.request(s.placed, s.how)
	if s.earlier != "" {
		how := s.how
		if s.earlierHow != nil {
			how = *s.earlierHow
		}
		request = request.After(c.ApplyBy(c.engine, c.request(s.earlier, how)).Status)
	}
	release := c.hold()
	c.do(s.since...)

	if s.fails != "" {
		s.runFailing(c, request)
		return
	}
	if c.reader != nil {
		read := c.preview(c.reader, request)
		s.checkReaderPreview(c, read)
		s.checkSecrets(c, read)
	}
	predicted := c.preview(c.engine, request)
	s.checkPreview(c, predicted)
	seen := c.snapshot(predicted)
	s.checkDryRun(c, predicted, seen)
	release()

	result := c.ApplyBy(c.engine, request)
	c.Status = result.Status.Clusters[c.Member]
	var wanted []*unstructured.Unstructured
	if !s.altered {
		wanted = c.Objects(s.placed)
	}
	if s.becomes == "" {
		c.checkApplied(predicted, seen, wanted)
	} else {
		c.checkFails(predicted, s.becomes)
	}

	again := c.preview(c.engine, request.After(result.Status))
	rejected := slices.ContainsFunc(predicted.Objects, engine.ObjectPreview.Rejected)
	if again.Pending() != rejected && s.becomes == "" {
		c.Errorf("changes pending after the apply: %v, want %v\n%s", again.Pending(), rejected, describe(again))
	}
	s.checkSecrets(c, predicted, result, again)
	for _, record := range c.Fleet.Subject.Records(c.Name) {
		s.checkSecrets(c, c.must(record).Object)
	}
	if s.after != nil {
		s.after(c)
	}
}

// runFailing checks that the preview and the apply return an error and write nothing.
func (s scenario) runFailing(c *Case, request Request) {
	c.Helper()
	before := len(c.requests())
	_, previewErr := request.Preview(c.Context(), c.engine)
	_, applyErr := request.Apply(c.Context(), c.engine)
	s.checkSecrets(c, previewErr, applyErr)
	for what, err := range map[string]error{"preview": previewErr, "apply": applyErr} {
		if err == nil {
			c.Errorf("%s: no error, want %q", what, c.Expand(s.fails))
			continue
		}
		c.Contains(err.Error(), c.Expand(s.fails))
	}
	for _, r := range c.requests()[before:] {
		if r.Write() {
			c.Errorf("the failed apply wrote: %s", r)
		}
	}
}

// preview returns the preview of the member. It fails the test if the preview writes anything.
func (c *Case) preview(e engine.Engine, request Request) engine.ClusterPreview {
	c.Helper()
	before := len(c.requests())
	preview, err := request.Preview(c.Context(), e)
	if err != nil {
		c.Fatal(err)
	}
	requests := c.requests()[before:]
	if len(requests) == 0 {
		c.Error("the recorder saw no request of the preview")
	}
	for _, r := range requests {
		if r.Write() {
			c.Errorf("the preview wrote: %s", r)
		}
	}
	at := slices.IndexFunc(preview.Clusters, func(p engine.ClusterPreview) bool { return p.Name == c.Member })
	if at < 0 || preview.Clusters[at].Err != nil || !preview.Clusters[at].Picked {
		c.Fatalf("clusters: %+v", preview.Clusters)
	}
	return preview.Clusters[at]
}
