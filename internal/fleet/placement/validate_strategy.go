package placement

import (
	"regexp"
	"strconv"
	"strings"
)

// countPattern is the CRD's for numbers of clusters.
var countPattern = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)

func (v *validator) strategy(path Path, s Strategy) {
	enum(v, path.Attribute("type"), s.Type)
	if r := s.RollingUpdate; r != nil {
		v.rollingUpdate(path.Attribute("rolling_update"), *r, s.Type)
	}
	if a := s.ApplyStrategy; a != nil {
		v.applyStrategy(path.Attribute("apply_strategy"), *a)
	}
	if d := s.DeleteStrategy; d != nil {
		at := path.Attribute("delete_strategy")
		enum(v, at.Attribute("propagation_policy"), d.PropagationPolicy)
		enum(v, at.Attribute("contents"), d.Contents)
	}
	if r := s.ReportBackStrategy; r != nil {
		at := path.Attribute("report_back_strategy")
		enum(v, at.Attribute("type"), r.Type)
		enum(v, at.Attribute("destination"), r.Destination)
		if r.Type == ReportBackMirror && r.Destination == "" {
			v.add(at.Attribute("destination"), "it is required when type is Mirror: set it to OriginalResource or WorkAPI")
		}
	}
}

func (v *validator) rollingUpdate(path Path, r RollingUpdate, strategyType StrategyType) {
	if strategyType == ExternalStrategy {
		v.add(path, "with type External something else drives the rollout: remove it, or set type to RollingUpdate")
	}
	v.count(path.Attribute("max_unavailable"), r.MaxUnavailable)
	v.count(path.Attribute("max_surge"), r.MaxSurge)
	if period := r.UnavailablePeriodSeconds; period != nil && *period < 0 {
		v.add(path.Attribute("unavailable_period_seconds"), "%d is negative: it is 0 or more", *period)
	}
}

// count checks a number of clusters; a whole number has to fit the API's type, which has 32 bits.
func (v *validator) count(path Path, text string) {
	if text == "" {
		return
	}
	valid := countPattern.MatchString(text)
	if valid && !strings.HasSuffix(text, "%") {
		_, err := strconv.ParseInt(text, 10, 32)
		valid = err == nil
	}
	if !valid {
		v.add(path, `%q is neither a number of clusters such as "1" nor a percentage from "0%%" to "100%%"`, text)
	}
}

func (v *validator) applyStrategy(path Path, a ApplyStrategy) {
	enum(v, path.Attribute("type"), a.Type)
	enum(v, path.Attribute("comparison_option"), a.ComparisonOption)
	enum(v, path.Attribute("when_to_apply"), a.WhenToApply)
	enum(v, path.Attribute("when_to_take_over"), a.WhenToTakeOver)
	if a.ServerSideApplyConfig != nil && a.Type != ServerSideApply {
		v.add(path.Attribute("server_side_apply_config"), "it is only valid when type is ServerSideApply: remove it, or set that type")
	}
}
