package enginetest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// target returns the name of the object that want describes.
func (s scenario) target(c *Case) string {
	switch s.object {
	case "":
		return "it"
	case nameless:
		return ""
	default:
		return c.Expand(s.object)
	}
}

// nameless is the value of scenario.object for an object without a name.
const nameless = "(nameless)"

func (s scenario) checkPreview(c *Case, cluster engine.ClusterPreview) {
	c.Helper()
	object, found := objectOf(cluster, s.target(c))
	if !found {
		c.Fatalf("the preview lacks the object:\n%s", describe(cluster))
	}
	c.target = refOf(object)
	if cluster.CheckMethod != engine.CheckDryRun && cluster.CheckMethod != engine.CheckReadOnly {
		c.Errorf("preview made with: %s", cluster.CheckMethod)
	}
	if object.Action != s.want.action() || object.Reason != s.want.Reason || !strings.Contains(object.Message, c.Expand(s.want.Message)) {
		c.Errorf("predicted: %s %s %q\nwant:      %s %s %q", object.Action, object.Reason, object.Message,
			s.want.action(), s.want.Reason, c.Expand(s.want.Message))
	}
	if (object.Message == "") != (s.want.Message == "") {
		c.Errorf("got message %q, want %q", object.Message, c.Expand(s.want.Message))
	}
	if s.want.Paths != nil {
		if diff := cmp.Diff(s.want.Paths, pathsOf(object.ObservedDiffs)); diff != "" {
			c.Errorf("paths of the observed diffs (-want +got):\n%s\n%v", diff, object.ObservedDiffs)
		}
	} else if diff := cmp.Diff(s.want.Diffs, object.ObservedDiffs, cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("observed diffs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(s.want.Drifts, object.ObservedDrifts, cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("observed drifts (-want +got):\n%s", diff)
	}
	if s.inspect != nil {
		s.inspect(c, object)
	}
	if s.want.Fields != nil {
		if diff := cmp.Diff(s.want.Fields, fieldsOf(object), cmpopts.EquateEmpty()); diff != "" {
			c.Errorf("differences (-want +got):\n%s", diff)
		}
	}
}

func (s scenario) checkReaderPreview(c *Case, cluster engine.ClusterPreview) {
	c.Helper()
	object, _ := objectOf(cluster, s.target(c))
	action := s.want.action()
	if s.readOnly != "" {
		action = s.readOnly
	}
	if object.Action != action || cluster.CheckMethod != engine.CheckReadOnly {
		c.Errorf("with read-only credentials: %s %s %q by %s, want %s; %v",
			object.Action, object.Reason, object.Message, cluster.CheckMethod, action, fieldsOf(object))
	}
	if s.inspect != nil && s.readOnly == "" {
		s.inspect(c, object)
	}
	if s.want.Fields != nil && s.recordsFields() {
		sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
		if diff := cmp.Diff(s.want.Fields, fieldsOf(object), cmpopts.EquateEmpty(), sorted); diff != "" {
			c.Errorf("differences with read-only credentials (-want +got):\n%s", diff)
		}
	}
	if stats := c.readers.Stats(); stats.DryRuns+stats.Writes > 0 {
		c.Errorf("dry runs or writes with read-only credentials: %+v", stats)
	}
}

// recordsFields reports whether an annotation or the managedFields of the object show which fields were applied.
func (s scenario) recordsFields() bool {
	return s.earlier != "" && !s.altered && s.readOnly == ""
}

// checkDryRun checks predicted takeovers under IfNoDiff with a dry run like KubeFleet's, because a local comparison could have missed a difference. The dry run
// must find none.
func (s scenario) checkDryRun(c *Case, predicted engine.ClusterPreview, live map[manifest.Key]*unstructured.Unstructured) {
	c.Helper()
	if s.how.WhenToTakeOver != ifNoDiff || s.how.ComparisonOption == full {
		return
	}
	for _, wanted := range c.Objects(s.placed) {
		for _, o := range predicted.Objects {
			if o.Action != takesOver || o.Kind != wanted.GetKind() || o.Name != wanted.GetName() {
				continue
			}
			result, err := c.On(c.Member).As("work-api-agent").DryRun(c.Context(), wanted)
			if err != nil {
				c.Errorf("%s: %v", o.Identifier, err)
				continue
			}
			if details := diff.Patches(result, live[o.Key()]); len(details) > 0 {
				c.Errorf("%s: predicted takeover, but a dry run finds differences: %+v", o.Identifier, details)
			}
		}
	}
}

// checkSecrets checks that none of the values contains one of the case's secrets.
func (s scenario) checkSecrets(c *Case, values ...any) {
	c.Helper()
	for _, value := range values {
		text := fmt.Sprintf("%+v", value)
		if data, err := json.Marshal(value); err == nil {
			text += string(data)
		}
		for _, secret := range s.secrets {
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
				if at := strings.Index(text, form); at >= 0 {
					c.Errorf("%T shows %q: …%s…", value, form, text[max(0, at-200):min(len(text), at+100)])
				}
			}
		}
	}
}

// objectOf returns the last object with the name.
func objectOf(cluster engine.ClusterPreview, name string) (out engine.ObjectPreview, found bool) {
	for _, o := range cluster.Objects {
		if o.Name == name {
			out, found = o, true
		}
	}
	return out, found
}

func pathsOf(details []placement.PatchDetail) []string {
	out := []string{}
	for _, d := range details {
		out = append(out, d.Path)
	}
	return out
}

func fieldsOf(object engine.ObjectPreview) []string {
	out := []string{}
	for _, d := range object.Differences {
		out = append(out, d.Field)
	}
	return out
}

func describe(cluster engine.ClusterPreview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, resume: %v\n", cluster.CheckMethod, cluster.Resume)
	for _, o := range cluster.Objects {
		fmt.Fprintf(&b, "%s: %s %s %s %v\n", o.Identifier, o.Action, o.Reason, o.Message, fieldsOf(o))
	}
	return b.String()
}
