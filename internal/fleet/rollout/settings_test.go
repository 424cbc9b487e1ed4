package rollout

import (
	"math"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestParseSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		in          placement.RollingUpdate
		unavailable int
		surge       int
		period      time.Duration
		err         string
	}{
		"defaults": {placement.RollingUpdate{}, 3, 3, time.Minute, ""},
		"numbers": {
			placement.RollingUpdate{MaxUnavailable: "1", MaxSurge: "0", UnavailablePeriodSeconds: new(int64(5))}, 1, 0, 5 * time.Second, "",
		},
		"percentages":       {placement.RollingUpdate{MaxUnavailable: "1%", MaxSurge: "100%"}, 1, 10, time.Minute, ""},
		"no period":         {placement.RollingUpdate{UnavailablePeriodSeconds: new(int64)}, 3, 3, 0, ""},
		"a long period":     {placement.RollingUpdate{UnavailablePeriodSeconds: new(int64(math.MaxInt64))}, 3, 3, 9223372036 * time.Second, ""},
		"no percentage":     {placement.RollingUpdate{MaxUnavailable: "101%"}, 0, 0, 0, "max_unavailable"},
		"no number":         {placement.RollingUpdate{MaxSurge: "-1"}, 0, 0, 0, "max_surge"},
		"a negative period": {placement.RollingUpdate{UnavailablePeriodSeconds: new(int64(-1))}, 0, 0, 0, "unavailable_period_seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSettings(tt.in, 10)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err+": ") {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Target != 10 || s.MaxUnavailable.Of(10) != tt.unavailable || s.MaxSurge.Of(10) != tt.surge || s.UnavailablePeriod != tt.period {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// TestLongPeriods checks that no period and no time overflows.
func TestLongPeriods(t *testing.T) {
	s := settings(t, "1", "0", 1)
	for _, s.UnavailablePeriod = range []time.Duration{0, math.MaxInt64} {
		for _, since := range []time.Time{{}, noon, time.Unix(1<<40, 0)} {
			step := Next(s, []Cluster{{Name: "a", Change: Update, State: Ready, AvailableSince: since}}, noon)
			if step.CheckAfter < time.Second {
				t.Errorf("%s, %s: got %s", s.UnavailablePeriod, since, step.CheckAfter)
			}
		}
	}
}

// FuzzParseCount checks that ParseCount and placement.Validate accept the same texts, and that their meaning is that of Kubernetes' own type.
func FuzzParseCount(f *testing.F) {
	for _, text := range []string{"", "0", "1", "007", "25%", "100%", "101%", "0%", "00%", "000%", "-1", "+1", "1.5", "2147483647", "2147483648", "%", "1%%", " 1", "１"} {
		f.Add(text, 7)
	}
	f.Fuzz(func(t *testing.T, text string, target int) {
		count, err := ParseCount(text)
		problems := placement.Validate(placement.Spec{
			ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace"}},
			Strategy:          &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxSurge: text}},
		})
		if valid := err == nil || text == ""; valid != (len(problems) == 0) {
			t.Fatalf("%q: got %v, and %v", text, err, problems)
		}
		if err != nil {
			return
		}
		target &= 0xfffff
		value := intstr.Parse(text)
		if want, err := intstr.GetScaledValueFromIntOrPercent(&value, target, true); err != nil || count.Of(target) != want {
			t.Errorf("%q of %d: got %d, want %d, %v", text, target, count.Of(target), want, err)
		}
		if again, err := ParseCount(count.String()); err != nil || again != count {
			t.Errorf("%q is formatted as %s, %v", text, count, err)
		}
	})
}
