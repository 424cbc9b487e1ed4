package manifest

import "fmt"

// Duplicate is an object that occurs twice.
type Duplicate struct {
	First, Second Identifier
}

func (d Duplicate) String() string {
	first, second := describeOrigin(d.First), describeOrigin(d.Second)
	switch {
	case d.First.Envelope == nil && d.Second.Envelope == nil:
		return fmt.Sprintf("%s is listed twice", d.First)
	case first == second:
		return fmt.Sprintf("%s is listed twice%s", d.First, first)
	default:
		return fmt.Sprintf("%s is listed twice:%s and%s", d.First, first, second)
	}
}

func describeOrigin(id Identifier) string {
	switch {
	case id.Envelope == nil:
		return " on its own"
	case id.Envelope.Namespace == "":
		return fmt.Sprintf(" in %s %s", id.Envelope.Type, id.Envelope.Name)
	default:
		return fmt.Sprintf(" in %s %s/%s", id.Envelope.Type, id.Envelope.Namespace, id.Envelope.Name)
	}
}

// Duplicates returns a Duplicate for each later occurrence of an object, with the first occurrence, in the order of the input. It compares objects by
// their [Key], so an object is a duplicate even in another API version or another envelope.
func Duplicates(objects []Object) []Duplicate {
	first := map[Key]Identifier{}
	var duplicates []Duplicate
	for _, o := range objects {
		if earlier, found := first[o.Key()]; found {
			duplicates = append(duplicates, Duplicate{First: earlier, Second: o.Identifier})
			continue
		}
		first[o.Key()] = o.Identifier
	}
	return duplicates
}
