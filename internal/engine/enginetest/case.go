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

// scenario is a case: what is on the member, what is placed and how, and what KubeFleet makes of one of the objects.
type scenario struct {
	// name begins with the row of the decision table or the number of the worked case that it is, if it is one.
	name string
	// before is what others do on the member before there is a placement.
	before []step
	// earlier is what the placement has placed before, empty if it is new, and earlierHow its strategy then, nil for the same.
	earlier    string
	earlierHow *placement.ApplyStrategy
	// since is what others have done after that.
	since []step
	// placed is what is to be placed now, and how.
	placed string
	how    placement.ApplyStrategy
	// object is the name of the one that want is about; empty for "it". Of two with that name it is the last.
	object string
	want   Want
	// readOnly is what is foreseen for the object with credentials that may only read; empty for the same.
	readOnly takeover.Action
	// altered says that admission rules make something else of what is placed.
	altered bool
	// secrets must show nowhere, as they are or in base64.
	secrets []string
	// inspect looks closer at what is foreseen, by either look; after looks at the member when all is done.
	inspect func(c *Case, foreseen engine.ObjectPreview)
	after   func(c *Case)
	// fails is a part of the error with which both the preview and the apply end; then want is of no account.
	fails string
	// becomes is the reason for which the object is not applied, though that is not foreseen.
	becomes string
}

// Want is what is foreseen for an object, and then comes to be.
type Want struct {
	// Action is empty for an object that is left alone for a reason.
	Action takeover.Action
	// Reason is KubeFleet's, Message a part of its message.
	Reason, Message string
	Diffs, Drifts   []placement.PatchDetail
	// Paths are those of the diffs, where the values are of no interest or not the same every time.
	Paths []string
	// Fields are the differences as they are told to people; nil if that is of no interest.
	Fields []string
}

// differing is the scenario as an engine has it that differs from KubeFleet.
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

// Case is a scenario on its way: a world with one member, and a placement of the world's name.
type Case struct {
	*World
	// Member is the cluster that it is about.
	Member string
	// Status is what the apply has reported of the member.
	Status placement.ClusterStatus
	// target is the object that it is about, once a preview has told of it.
	target fixture.Ref
	// engine is the one under test, behind the recorder; reader is one whose credentials may only read, nil without such.
	engine, reader engine.Engine
	readers        Clients
}

// newCase makes the world of a case.
func (c *contract) newCase(tb testing.TB) *Case {
	tb.Helper()
	w := c.fleet.world(tb, 1)
	w.Recorder, w.Names = c.recorder, c.Names
	out := &Case{World: w, Member: w.Members[0]}
	// Every preview looks for itself.
	access := Access{Kubeconfig: c.recorder.Kubeconfig(), Options: kube.Options{UserAgent: w.Name, ShareFor: -1}}
	out.engine = c.fleet.Subject.New(w.Connect(access))
	if readers, ok := w.Readers(access); ok {
		out.readers, out.reader = readers, c.fleet.Subject.New(readers)
	}
	out.tidyAtEnd(w.Name)
	return out
}

// tidyAtEnd removes the records of a placement, which all other cases would read.
func (c *Case) tidyAtEnd(name string) {
	c.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if err := c.Fleet.Subject.Tidy(ctx, c.World, name); err != nil {
			c.Error(err)
		}
	})
}

// request asks for objects to be placed on the member.
func (c *Case) request(text string, how placement.ApplyStrategy) Request {
	c.Helper()
	request := c.Placing("$ns", text).Strategy(how)
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{c.Member}}
	return c.Supplied(request)
}

// hold keeps others from applying the placement by themselves, until it is released or the test ends.
func (c *Case) hold() (release func()) {
	if c.Fleet.Subject.Hold == nil {
		return func() {}
	}
	release = c.Fleet.Subject.Hold(c.Name)
	c.Cleanup(release)
	return release
}

// requests are those that the engines under test have sent.
func (c *Case) requests() []clusters.Request {
	return slices.DeleteFunc(c.Recorder.Requests(), func(r clusters.Request) bool { return r.UserAgent != c.Name })
}

// run makes a preview and an apply, and holds the one against the other.
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
		s.failing(c, request)
		return
	}
	if c.reader != nil {
		read := c.preview(c.reader, request)
		s.foreseenByReader(c, read)
		s.keepsSecrets(c, read)
	}
	foreseen := c.preview(c.engine, request)
	s.foreseen(c, foreseen)
	seen := c.snapshot(foreseen)
	s.agrees(c, foreseen, seen)
	release()

	result := c.ApplyBy(c.engine, request)
	c.Status = result.Status.Clusters[c.Member]
	var wanted []*unstructured.Unstructured
	if !s.altered {
		wanted = c.Objects(s.placed)
	}
	if s.becomes == "" {
		c.comesTrue(foreseen, seen, wanted)
	} else {
		c.fails(foreseen, s.becomes)
	}

	again := c.preview(c.engine, request.After(result.Status))
	rejected := slices.ContainsFunc(foreseen.Objects, engine.ObjectPreview.Rejected)
	if again.Pending() != rejected && s.becomes == "" {
		c.Errorf("after the apply, there is something to do: %v; should be: %v\n%s", again.Pending(), rejected, describe(again))
	}
	s.keepsSecrets(c, foreseen, result, again)
	for _, record := range c.Fleet.Subject.Records(c.Name) {
		s.keepsSecrets(c, c.must(record).Object)
	}
	if s.after != nil {
		s.after(c)
	}
}

// failing wants the preview and the apply to end with an error, and nothing to be written.
func (s scenario) failing(c *Case, request Request) {
	c.Helper()
	before := len(c.requests())
	_, previewErr := request.Preview(c.Context(), c.engine)
	_, applyErr := request.Apply(c.Context(), c.engine)
	s.keepsSecrets(c, previewErr, applyErr)
	for what, err := range map[string]error{"preview": previewErr, "apply": applyErr} {
		if err == nil {
			c.Errorf("%s: no error, want %q", what, c.Expand(s.fails))
			continue
		}
		c.Says(err.Error(), c.Expand(s.fails))
	}
	for _, r := range c.requests()[before:] {
		if r.Write() {
			c.Errorf("was written nevertheless: %s", r)
		}
	}
}

// preview makes one, and fails the test if it writes anything.
func (c *Case) preview(e engine.Engine, request Request) engine.ClusterPreview {
	c.Helper()
	before := len(c.requests())
	preview, err := request.Preview(c.Context(), e)
	if err != nil {
		c.Fatal(err)
	}
	requests := c.requests()[before:]
	if len(requests) == 0 {
		c.Error("the preview asked nothing, as far as was recorded")
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
