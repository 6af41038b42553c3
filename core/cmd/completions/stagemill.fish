# fish completion for stagemill: the program says what the word at the cursor may become.
# SPDX-License-Identifier: MIT
function __stagemill_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  # As the program would get it, also where a quote is still open.
  set -l word "$typed"
  for close in '' "'" '"'
    if set -l plain (string unescape -- "$typed$close")
      set word "$plain"
      break
    end
  end
  set -e words[1]
  set -l head (string match -r '^.*[=:]' -- "$word")
  set -l path (string replace -r '^.*[=:]' '' -- "$word")
  for line in (stagemill __complete $words "$word" 2>/dev/null)
    switch $line
    case ':files'
      for file in (__fish_complete_path "$path")
        echo "$head$file"
      end
    case ':folders'
      for folder in (__fish_complete_directories "$path")
        echo "$head$folder"
      end
    case '*'
      echo $line
    end
  end
end
complete -c stagemill -f -a '(__stagemill_complete)'
