"""Simplified Chinese: what the kernel says, by the English text."""

TEXTS: dict[str, str] = {
    # %graph
    "The graph of each cell is drawn under it from here on; %graph off stops this.\n"
    "To keep the graphs in the saved notebook: Settings > Save Widget State Automatically.":
        "从现在起，每个单元格的图画在它的下方；%graph off 停止。\n"
        "要把图保存在笔记本里：Settings > Save Widget State Automatically。",
    "Graphs are recorded and drawn under the cells from here on.":
        "从现在起，记录并在单元格下方画图。",
    "Recording is off; %graph on draws graphs again.": "记录已关闭；%graph on 重新画图。",
    "Each backward() pauses before its first node, while its cell runs; the buttons of the picture "
    "step it. %graph pause off ends this; interrupting the kernel stops the run.":
        "每个 backward() 都在单元格运行时停在第一个节点之前；用图上的按钮一步一步往前走。"
        "%graph pause off 结束这种方式；中断内核会停止反向传播。",
    "backward() no longer pauses.": "backward() 不再暂停。",
    "%graph takes on, off, pause on|off, guess on|off or language en|zh; %graph alone toggles.":
        "%graph 可以带 on、off、pause on|off、guess on|off 或 language en|zh；"
        "单独的 %graph 在开和关之间切换。",
    "Pictures of the cells from here on begin before their first step and ask for each step before "
    "they show it. %graph guess off ends this.":
        "从现在起，单元格的图从第一步之前开始，每一步都先提问，再显示。"
        "%graph guess off 结束这种方式。",
    "Pictures of the cells from here on show their steps without a question.":
        "从现在起，单元格的图直接显示各步，不再提问。",
    "Pictures and messages are in English from here on.": "从现在起，图和消息使用中文。",
    "A terminal draws no graphs. graph = graphwidget.watch() records what follows, and "
    'graph.to_html("graph.html") writes its picture as a page; graphwidget.explain() and the notes '
    "under errors say what went wrong.":
        "终端不画图。graph = graphwidget.watch() 记录此后发生的事，"
        'graph.to_html("graph.html") 把图写成网页；graphwidget.explain() 和报错下面的附注'
        "说明出了什么问题。",
    "This is the graph of an earlier cell. The live graph is below a later cell.":
        "这是较早的单元格的图，只能回放。可操作的图在后面的单元格下方。",
    # Widgets
    "This graph was closed; nothing of it is kept.": "这张图已关闭；没有保留任何内容。",
    "This is a recording: run the cell again to step live.":
        "这是一份记录，只能回放：重新运行单元格可单步执行。",
    "A still picture.": "静止的图片。",
    "Run the notebook for the live graph; to keep it in the file: "
    "Settings &gt; Save Widget State Automatically.":
        "运行笔记本可看到可操作的图；要把它保存在文件里："
        "Settings &gt; Save Widget State Automatically。",
    "A leaf always keeps its gradient; retain_grad() changes nothing.":
        "叶子总是保留自己的梯度；retain_grad() 不起作用。",
    "PyTorch cannot undo retain_grad().": "PyTorch 无法撤销 retain_grad()。",
    "This run has ended.": "这次反向传播已经结束。",
    "The program no longer keeps this value.": "程序已经不再保留这个值。",
    "graphwidget: {why}, so backward ran through without a pause.":
        "graphwidget：{why}，所以 backward 没有暂停，一直运行到底。",
    "no picture of this graph can answer while the cell runs":
        "单元格运行时，这张图没有可以回应的画面",
    "graphwidget stopped recording after an internal error: {error}":
        "graphwidget 因内部错误停止了记录：{error}",
    # Findings
    "Saved value overwritten": "已保存的值被覆盖",
    "Graph already freed": "图已被释放",
    "Leaf written in place": "原地写入了叶子",
    "View written in place": "原地写入了视图",
    "No graph to run back through": "没有可以往回走的图",
    "Gradient missing or not used": "缺少梯度，或梯度没有用上",
    "NaN or infinity": "NaN 或无穷大",
    "Graphs pile up": "图越积越多",
    "Own backward code is wrong": "自己写的反向代码有误",
    "Backward from many numbers": "从多个数开始反向",
    "Loss given an input of another kind": "损失函数得到的输入不是它要的那一种",
    "Gradients never reset": "梯度从未清零",
    "Call failed": "调用失败",
    "Refused by PyTorch": "PyTorch 拒绝执行",
    "This fix was not tried: read it before you use it.": "这个修改没有试过：请先看懂再使用。",
    "caused by": "起因",
    "needed by": "需要它的是",
    "try": "修改",
    "{file}, line {line}": "{file}，第 {line} 行",
    "Nothing was found.": "没有发现问题。",
    "Nothing was found. explain() is about watched programs on the real PyTorch; errors of "
    "graphwidget's own engine carry their explanation themselves, as notes.":
        "没有发现问题。explain() 针对在真正的 PyTorch 上观察的程序；graphwidget 自己的引擎"
        "报错时，说明就在错误的附注里。",
    # python -m graphwidget
    "Nothing was found in the graph that explains the error.":
        "图中没有发现可以解释这个错误的内容。",
    "{fault}; what the script did after that was not seen.": "{fault}；脚本此后做的事没有看到。",
    "No page was written: nothing was recorded.": "没有写出网页：没有任何记录。",
    "No page was written: {error}": "没有写出网页：{error}",
    "The graph is in {path}": "图在 {path}",
    "Run a PyTorch script and say what is wrong with it.":
        "运行一个 PyTorch 脚本，并说明它有什么问题。",
    "write what was found there as JSON": "把发现的问题以 JSON 写到这个文件",
    "write the page there, failed or not": "把网页写到这个文件，无论是否失败",
    "write SCRIPT.graph.html if all went well": "没有出错时也写出 SCRIPT.graph.html",
    "the script, and then what it is given": "脚本，以及它的参数",
    "a script is required": "需要一个脚本",
    "there is no file {script}": "没有文件 {script}",
}  # fmt: skip
"""The texts; what stands in braces is the same in both."""
