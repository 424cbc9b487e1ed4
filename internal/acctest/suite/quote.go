package suite

import (
	"errors"
	"fmt"
	"strings"
)

// quote joins words so that the go command splits them again, for example in the value of -exec. It puts quotes around a word that is empty or has white space
// or quotes. The go command knows no escapes, so a word with both kinds of quotes is an error.
func quote(words []string) (string, error) {
	var out []string
	for _, word := range words {
		switch {
		case word != "" && !strings.ContainsAny(word, " \t\r\n'\""):
			out = append(out, word)
		case !strings.Contains(word, "'"):
			out = append(out, "'"+word+"'")
		case !strings.Contains(word, `"`):
			out = append(out, `"`+word+`"`)
		default:
			return "", fmt.Errorf("the go command cannot call %s: the path has both kinds of quotes", word)
		}
	}
	return strings.Join(out, " "), nil
}

// SplitFlags splits flags as a shell does at spaces outside quotes. A backslash is part of a flag, as regular expressions need it.
func SplitFlags(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quotedBy rune
	inWord := false
	for _, c := range text {
		switch {
		case quotedBy != 0 && c == quotedBy:
			quotedBy = 0
		case quotedBy != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quotedBy, inWord = c, true
		case strings.ContainsRune(" \t\r\n", c):
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quotedBy != 0 {
		return nil, errors.New("a quote is not closed: " + text)
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}
