package memberclusters

import (
	"errors"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// TestHealthy checks that a cluster is healthy only if it could be read, if the condition Healthy of a hub does not say otherwise, and if the last heartbeat is
// not too old.
func TestHealthy(t *testing.T) {
	t.Parallel()
	listed := func(conditions ...member.Condition) engine.ListedMember {
		return engine.ListedMember{Member: engine.Member{Status: member.Status{Conditions: conditions}}}
	}
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	agent := func(heartbeat string) engine.ListedMember {
		out := listed(member.Condition{Type: member.Healthy, Status: "True"})
		out.Status.AgentStatus = []member.AgentStatus{{Type: member.MemberAgent, LastReceivedHeartbeat: heartbeat}}
		return out
	}
	unread := listed(member.Condition{Type: member.Healthy, Status: "True"})
	unread.Err = errors.New("connection refused")
	for name, c := range map[string]struct {
		listed  engine.ListedMember
		message string
	}{
		"without conditions": {listed(), ""},
		"healthy":            {listed(member.Condition{Type: member.Healthy, Status: "True", Reason: "Reachable", Message: "ok"}), ""},
		"not joined":         {listed(member.Condition{Type: member.Joined, Status: "False", Reason: "Waiting"}), ""},
		"unhealthy":          {listed(member.Condition{Type: member.Healthy, Status: "False", Reason: "Lost", Message: "no heartbeat"}), "False: Lost: no heartbeat"},
		"unknown":            {listed(member.Condition{Type: member.Healthy, Status: "Unknown"}), "Unknown"},
		"unread":             {unread, "connection refused"},
		"heartbeat in time":  {agent("2026-11-27T11:55:00Z"), ""},
		"no heartbeat yet":   {agent(""), ""},
		"a silent agent": {agent("2026-11-27T11:54:59Z"),
			"the hub has received no heartbeat of the member agent for more than 5 minutes; the last one was at 2026-11-27T11:54:59Z"},
	} {
		if got := flatten(c.listed, now); got.Healthy != (c.message == "") || got.Message != c.message {
			t.Errorf("%s: healthy is %v, with the message %q", name, got.Healthy, got.Message)
		}
	}
}
