package rollout

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var countPattern = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)

// Count is a number of clusters, either fixed or a percentage. The zero value is the number 0.
type Count struct {
	number  int
	percent bool
}

// ParseCount parses a number of clusters in the format of the API's IntOrString: an integer of at most 32 bits, or a percentage from 0% to 100%.
func ParseCount(text string) (Count, error) {
	digits, percent := strings.CutSuffix(text, "%")
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || !countPattern.MatchString(text) {
		return Count{}, fmt.Errorf(`%q is neither a number of clusters such as "1" nor a percentage from "0%%" to "100%%"`, text)
	}
	return Count{number: int(number), percent: percent}, nil
}

// Of returns the number of clusters for a target. As in KubeFleet, the percentages of both max_unavailable and max_surge are rounded up: 1% of
// any target above 0 is at least one cluster.
func (c Count) Of(target int) int {
	if !c.percent {
		return c.number
	}
	return (c.number*max(target, 0) + 99) / 100
}

func (c Count) String() string {
	if c.percent {
		return strconv.Itoa(c.number) + "%"
	}
	return strconv.Itoa(c.number)
}
