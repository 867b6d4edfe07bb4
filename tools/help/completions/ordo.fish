# fish completion for ordo

function __ordo_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    # Not there, or not yet: nothing to offer, and nothing to say in the middle of a line.
    type -q $program; or return
    set -e words[1]
    # The word being typed may be in quotes that are still open, or have backslashes.
    set -l word (string replace -ra '[\'"\\\\]' '' -- $typed)
    test (count $word) -gt 0; or set word ''
    for line in ($program completions --for -- $words $word 2>/dev/null)
        switch $line
            case \tfiles
                __ordo_paths __fish_complete_path $word
            case \tfolders
                __ordo_paths __fish_complete_directories $word
            case '*'
                echo $line
        end
    end
end

# Paths behind the = of an option keep it.
function __ordo_paths --argument-names complete word
    set -l option (string match -r -- '^--[^=]*=' $word)
    set -l path (string replace -r -- '^--[^=]*=' '' $word)
    for found in ($complete "$path")
        echo "$option$found"
    end
end

complete -c ordo -f -a '(__ordo_complete)'
