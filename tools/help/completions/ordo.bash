# bash completion for ordo

# COMP_WORDS has the words as typed, cut at = and : too; ordo wants them whole and without quotes.
# Of the last one bash replaces what stands behind the last cut, and quotes nothing that it is given
# unless it is a file.
_ordo() {
	local tab=$'\t' words=() piece="" kept="" quoted=false files="" option="" line value i
	for ((i = 1; i <= COMP_CWORD; i++)); do
		piece=${COMP_WORDS[i]}
		[[ $piece == *[\'\"]* ]] && quoted=true || quoted=false
		piece=${piece//[\\\'\"]/}
		if ((${#words[@]} > 1)) &&
			[[ $piece == [=:]* || ${COMP_WORDS[i - 1]} == [=:]* ]]; then
			kept=${words[${#words[@]} - 1]}
			words[${#words[@]} - 1]+=$piece
		else
			kept=""
			words+=("$piece")
		fi
	done
	((${#words[@]})) || words=("")
	local word=${words[${#words[@]} - 1]}
	[[ $piece == [=:]* ]] && kept=$word

	COMPREPLY=()
	while IFS= read -r line; do
		value=${line%%"$tab"*}
		if [[ ! $value ]]; then
			[[ $line == *folders ]] && files=-d || files=-f
			continue
		fi
		value=${value#"$kept"}
		[[ $quoted == false && $value == *[\(\)]* ]] && printf -v value %q "$value"
		COMPREPLY+=("$value")
	done < <("${COMP_WORDS[0]/#\~/$HOME}" completions --for -- "${words[@]}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=\(] ]] && compopt -o nospace 2>/dev/null
	[[ $files ]] || return 0

	compopt -o filenames 2>/dev/null
	[[ $word == --*=* ]] && option=${word%%=*}=
	while IFS= read -r line; do
		value=$option$line
		COMPREPLY+=("${value#"$kept"}")
	done < <(compgen "$files" -- "${word#"$option"}")
}
complete -F _ordo ordo
