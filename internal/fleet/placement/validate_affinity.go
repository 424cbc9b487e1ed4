package placement

const (
	requiredAttribute  = "required_during_scheduling_ignored_during_execution"
	preferredAttribute = "preferred_during_scheduling_ignored_during_execution"
)

func (v *validator) checkAffinity(path Path, a ClusterAffinity, placementType PlacementType) {
	if a.Required != nil {
		terms := path.Attribute(requiredAttribute).Attribute("cluster_selector_terms")
		if a.Required.ClusterSelectorTerms == nil {
			v.add(terms, "it is required: set the terms, or remove %s", requiredAttribute)
		}
		v.checkLimit(terms, 10, len(a.Required.ClusterSelectorTerms))
		for i, term := range a.Required.ClusterSelectorTerms {
			v.checkRequiredTerm(terms.Index(i), term)
		}
	}
	preferred := path.Attribute(preferredAttribute)
	if placementType == PickAll && len(a.Preferred) > 0 {
		v.add(preferred, "PickAll takes every cluster that matches, so preferences would be ignored: remove them, or use PickN")
		return
	}
	for i, p := range a.Preferred {
		v.checkPreferred(preferred.Index(i), p)
	}
}

func (v *validator) checkRequiredTerm(path Path, term ClusterSelectorTerm) {
	v.checkLabelSelector(path.Attribute("label_selector"), term.LabelSelector)
	if term.PropertySorter != nil {
		v.add(path.Attribute("property_sorter"), "a required term filters clusters and cannot sort them: move it to %s", preferredAttribute)
	}
	if term.PropertySelector != nil {
		v.checkPropertyExpressions(path.Attribute("property_selector").Attribute("match_expressions"), term.PropertySelector.MatchExpressions)
	}
}

func (v *validator) checkPreferred(path Path, p PreferredClusterSelector) {
	if p.Weight < -100 || p.Weight > 100 {
		v.add(path.Attribute("weight"), "%d is out of range: it must be between -100 and 100", p.Weight)
	}
	term := path.Attribute("preference")
	v.checkLabelSelector(term.Attribute("label_selector"), p.Preference.LabelSelector)
	if p.Preference.PropertySelector != nil {
		v.add(term.Attribute("property_selector"), "a preference scores clusters and cannot filter them by property: use property_sorter, or "+
			"move it to %s", requiredAttribute)
	}
	if sorter := p.Preference.PropertySorter; sorter != nil {
		v.checkPropertyName(term.Attribute("property_sorter").Attribute("name"), sorter.Name)
		checkRequiredEnum(v, term.Attribute("property_sorter").Attribute("sort_order"), sorter.SortOrder)
	}
}
