package placement

import (
	"regexp"
	"strconv"
	"strings"
)

var countPattern = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)

func (v *validator) checkStrategy(path Path, s Strategy) {
	checkEnum(v, path.Attribute("type"), s.Type)
	if r := s.RollingUpdate; r != nil {
		v.checkRollingUpdate(path.Attribute("rolling_update"), *r, s.Type)
	}
	if a := s.ApplyStrategy; a != nil {
		v.checkApplyStrategy(path.Attribute("apply_strategy"), *a)
	}
	if d := s.DeleteStrategy; d != nil {
		at := path.Attribute("delete_strategy")
		checkEnum(v, at.Attribute("propagation_policy"), d.PropagationPolicy)
		checkEnum(v, at.Attribute("contents"), d.Contents)
	}
	if r := s.ReportBackStrategy; r != nil {
		at := path.Attribute("report_back_strategy")
		checkEnum(v, at.Attribute("type"), r.Type)
		checkEnum(v, at.Attribute("destination"), r.Destination)
		if r.Type == ReportBackMirror && r.Destination == "" {
			v.add(at.Attribute("destination"), "it is required when type is Mirror: set it to OriginalResource or WorkAPI")
		}
	}
}

func (v *validator) checkRollingUpdate(path Path, r RollingUpdate, strategyType StrategyType) {
	if strategyType == ExternalStrategy {
		v.add(path, "with type External, an external controller drives the rollout: remove it, or set type to RollingUpdate")
	}
	v.checkCount(path.Attribute("max_unavailable"), r.MaxUnavailable)
	v.checkCount(path.Attribute("max_surge"), r.MaxSurge)
	if period := r.UnavailablePeriodSeconds; period != nil && *period < 0 {
		v.add(path.Attribute("unavailable_period_seconds"), "%d is negative: it must be 0 or more", *period)
	}
}

// checkCount checks a number or percentage of clusters. It rejects an integer that does not fit the API's 32-bit type, and accepts the empty text.
func (v *validator) checkCount(path Path, text string) {
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

func (v *validator) checkApplyStrategy(path Path, a ApplyStrategy) {
	checkEnum(v, path.Attribute("type"), a.Type)
	checkEnum(v, path.Attribute("comparison_option"), a.ComparisonOption)
	checkEnum(v, path.Attribute("when_to_apply"), a.WhenToApply)
	checkEnum(v, path.Attribute("when_to_take_over"), a.WhenToTakeOver)
	if a.ServerSideApplyConfig != nil && a.Type != ServerSideApply {
		v.add(path.Attribute("server_side_apply_config"), "it is only valid when type is ServerSideApply: remove it, or set that type")
	}
}
