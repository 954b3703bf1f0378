"""Python's libraries for linear models behind the protocol of the benchmark report.

Reads one JSON request a line and answers with one line: see benches/src/peers/mod.rs. Loading, making
labels and converting layouts are not timed; constructing the estimator and fitting it are. An argument
names the one library to speak for, so that one that takes too long is ended without the others.

Objectives are translated from Σ loss + λ₁‖w‖₁ + λ₂‖w‖² (total scale, squares without a half) to each
library's own; the comments say how.
"""

import importlib.metadata
import json
import os
import sys
import time
import warnings

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # What libraries print is no answer.
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402  (after the redirection, so that nothing it prints is an answer)

# Iterations: enough that tolerances decide.
FOREVER = 10**6


class Problem:
    """A design, its target, and the target as classes 0 and 1."""

    def __init__(self, path):
        with open(path, "rb") as file:
            if file.read(8) != b"minrisk1":
                raise ValueError(f"{path} is not a problem")
            rows, cols, by_columns = np.fromfile(file, dtype="<i8", count=3)
            entries = np.fromfile(file, dtype="<f8", count=rows * cols)
            self.y = np.fromfile(file, dtype="<f8", count=rows)
        self.x = entries.reshape((rows, cols), order="F" if by_columns else "C")
        self.classes = (self.y > 0).astype(np.float64)
        self.rows = int(rows)
        self.liblinear = None

    def for_liblinear(self):
        """Its own form of the data, made once."""
        from liblinear.liblinearutil import problem as liblinear_problem

        if self.liblinear is None:
            self.liblinear = liblinear_problem(self.y, self.x)
        return self.liblinear


METHODS = {}


def method(task, name):
    """Enters a function (problem, tolerance, parameters) → coefficients, intercept, note."""

    def enter(function):
        METHODS.setdefault(task, {})[name] = function
        return function

    return enter


def linear(model):
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), None


# Least squares.


@method("least_squares", "scikit-learn LinearRegression")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import LinearRegression

    return linear(LinearRegression().fit(problem.x, problem.y))


@method("least_squares", "statsmodels OLS")
def _(problem, tolerance, parameters):
    from statsmodels.api import OLS, add_constant

    found = OLS(problem.y, add_constant(problem.x)).fit(method="qr").params
    return found[1:], float(found[0]), None


# Ridge: ‖y − Xw − b‖² + α‖w‖², so α = λ; glum: (1/2m)‖y − Xw − b‖² + (α/2)‖w‖², so α = λ/m.


@method("ridge", "scikit-learn Ridge")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import Ridge

    return linear(Ridge(alpha=parameters["lambda"]).fit(problem.x, problem.y))


@method("ridge", "glum")
def _(problem, tolerance, parameters):
    return glum_fit("normal", problem.y, parameters["lambda"] / problem.rows, 0.0, problem, 1e-10)


# Lasso: (1/2m)‖y − Xw − b‖² + α‖w‖₁, so α = λ/2m, for all of them.


@method("lasso", "scikit-learn Lasso")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import Lasso

    alpha = parameters["lambda"] / (2 * problem.rows)
    return linear(Lasso(alpha=alpha, tol=tolerance, max_iter=FOREVER).fit(problem.x, problem.y))


@method("lasso", "celer Lasso")
def _(problem, tolerance, parameters):
    from celer import Lasso

    alpha = parameters["lambda"] / (2 * problem.rows)
    return linear(Lasso(alpha=alpha, tol=tolerance, max_iter=1000).fit(problem.x, problem.y))


@method("lasso", "skglm Lasso")
def _(problem, tolerance, parameters):
    from skglm import Lasso

    alpha = parameters["lambda"] / (2 * problem.rows)
    return linear(Lasso(alpha=alpha, tol=tolerance, max_iter=1000).fit(problem.x, problem.y))


@method("lasso", "python-glmnet ElasticNet")
def _(problem, tolerance, parameters):
    from glmnet import ElasticNet

    alpha = parameters["lambda"] / (2 * problem.rows)
    model = ElasticNet(
        alpha=1.0, lambda_path=np.array([alpha]), n_splits=0, standardize=False, tol=tolerance, max_iter=FOREVER
    ).fit(problem.x, problem.y)
    return model.coef_path_[:, 0], float(model.intercept_path_[0]), None


def glum_fit(family, target, alpha, l1_ratio, problem, tolerance):
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        family=family, alpha=alpha, l1_ratio=l1_ratio, gradient_tol=tolerance, max_iter=1000, scale_predictors=False
    )
    return linear(model.fit(problem.x, target))


@method("lasso", "glum")
def _(problem, tolerance, parameters):
    return glum_fit("normal", problem.y, parameters["lambda"] / (2 * problem.rows), 1.0, problem, tolerance)


# Lasso path: the same for every λ.


@method("lasso_path", "scikit-learn lasso_path")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import lasso_path

    # It knows no intercept: centred here, as part of the cost.
    means, level = problem.x.mean(axis=0), problem.y.mean()
    alphas = np.array(parameters["lambdas"]) / (2 * problem.rows)
    _, found, _ = lasso_path(
        np.asfortranarray(problem.x - means), problem.y - level, alphas=alphas, tol=tolerance, max_iter=FOREVER
    )
    return found.T, level - means @ found, None


@method("lasso_path", "celer celer_path")
def _(problem, tolerance, parameters):
    from celer import celer_path

    means, level = problem.x.mean(axis=0), problem.y.mean()
    alphas = np.array(parameters["lambdas"]) / (2 * problem.rows)
    centred = np.asfortranarray(problem.x - means)
    found = celer_path(centred, problem.y - level, "lasso", alphas=alphas, tol=tolerance, max_iter=1000)[1]
    return found.T, level - means @ found, None


@method("lasso_path", "skglm Lasso.path")
def _(problem, tolerance, parameters):
    from skglm import Lasso

    means, level = problem.x.mean(axis=0), problem.y.mean()
    alphas = np.array(parameters["lambdas"]) / (2 * problem.rows)
    model = Lasso(tol=tolerance, max_iter=1000, fit_intercept=False)
    found = model.path(np.asfortranarray(problem.x - means), problem.y - level, alphas)[1]
    return found.T, level - means @ found, None


@method("lasso_path", "python-glmnet ElasticNet")
def _(problem, tolerance, parameters):
    from glmnet import ElasticNet

    alphas = np.array(parameters["lambdas"]) / (2 * problem.rows)
    model = ElasticNet(
        alpha=1.0, lambda_path=alphas, n_splits=0, standardize=False, tol=tolerance, max_iter=FOREVER
    ).fit(problem.x, problem.y)
    return model.coef_path_.T, model.intercept_path_, None


# Logistic regression, L2: C·Σ loss + ½‖w‖², so C = 1/2λ; glum: (1/m)Σ loss + (α/2)‖w‖², so α = 2λ/m.


def sklearn_logistic(solver, **more):
    def fit(problem, tolerance, parameters):
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            C=1 / (2 * parameters["lambda"]), solver=solver, tol=tolerance, max_iter=FOREVER, **more
        )
        return linear(model.fit(problem.x, problem.classes))

    return fit


for solver in ["lbfgs", "newton-cholesky", "newton-cg"]:
    method("logistic_l2", f"scikit-learn {solver}")(sklearn_logistic(solver))


@method("logistic_l2", "glum")
def _(problem, tolerance, parameters):
    return glum_fit("binomial", problem.classes, 2 * parameters["lambda"] / problem.rows, 0.0, problem, tolerance)


def liblinear(problem, options, parameters):
    """liblinear with its own bias of 1 that -R leaves unpenalised, where there is an intercept."""
    from liblinear.liblinearutil import train

    bias = "-B 1 -R" if parameters["intercept"] else "-B -1"
    model = train(problem.for_liblinear(), f"{options} {bias} -q")
    found, level = model.get_decfun(0) if hasattr(model, "get_decfun") else model.get_decfun()
    return np.array(found), float(level) if parameters["intercept"] else 0.0, None


@method("logistic_l2", "liblinear-official -s 0")
def _(problem, tolerance, parameters):
    return liblinear(problem, f"-s 0 -c {1 / (2 * parameters['lambda'])!r} -e {tolerance!r}", parameters)


# Logistic regression, L1: C·Σ loss + ‖w‖₁, so C = 1/λ; skglm, glum, glmnet, celer as said beside them.


@method("logistic_l1", "scikit-learn saga")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=1 / parameters["lambda"], l1_ratio=1.0, solver="saga", tol=tolerance, max_iter=10**4,
        fit_intercept=parameters["intercept"], random_state=0,
    )
    return linear(model.fit(problem.x, problem.classes))


@method("logistic_l1", "skglm SparseLogisticRegression")
def _(problem, tolerance, parameters):
    from skglm import SparseLogisticRegression

    # (1/m)Σ loss + α‖w‖₁.
    model = SparseLogisticRegression(
        alpha=parameters["lambda"] / problem.rows, tol=tolerance, max_iter=1000, fit_intercept=parameters["intercept"]
    )
    return linear(model.fit(problem.x, problem.classes))


@method("logistic_l1", "celer LogisticRegression")
def _(problem, tolerance, parameters):
    from celer import LogisticRegression

    if parameters["intercept"]:
        raise ValueError("celer's logistic regression fits no intercept")
    model = LogisticRegression(C=1 / parameters["lambda"], tol=tolerance, max_iter=1000)
    model.fit(problem.x, problem.classes)
    return np.ravel(model.coef_), 0.0, None


@method("logistic_l1", "python-glmnet LogitNet")
def _(problem, tolerance, parameters):
    from glmnet import LogitNet

    model = LogitNet(
        alpha=1.0, lambda_path=np.array([parameters["lambda"] / problem.rows]), n_splits=0, standardize=False,
        fit_intercept=parameters["intercept"], tol=tolerance, max_iter=FOREVER,
    ).fit(problem.x, problem.classes)
    return np.ravel(model.coef_path_[..., 0]), float(np.ravel(model.intercept_path_)[0]), None


@method("logistic_l1", "glum")
def _(problem, tolerance, parameters):
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        family="binomial", alpha=parameters["lambda"] / problem.rows, l1_ratio=1.0, gradient_tol=tolerance,
        max_iter=1000, scale_predictors=False, fit_intercept=parameters["intercept"],
    )
    return linear(model.fit(problem.x, problem.classes))


@method("logistic_l1", "liblinear-official -s 6")
def _(problem, tolerance, parameters):
    return liblinear(problem, f"-s 6 -c {1 / parameters['lambda']!r} -e {tolerance!r}", parameters)


@method("logistic_l1", "statsmodels Logit")
def _(problem, tolerance, parameters):
    from statsmodels.api import Logit

    if parameters["intercept"] or problem.x.shape[1] > 500:
        raise ValueError("its L1 fit is for few columns, and penalises a constant like any other")
    found = Logit(problem.classes, problem.x).fit_regularized(
        alpha=parameters["lambda"], disp=0, acc=tolerance, trim_mode="off"
    )
    return found.params, 0.0, None


# Linear support vector machine: C·Σ hinge + ½‖w‖², so C = 1/2λ.


@method("svm", "scikit-learn LinearSVC")
def _(problem, tolerance, parameters):
    from sklearn.svm import LinearSVC

    model = LinearSVC(
        loss="hinge", C=1 / (2 * parameters["lambda"]), tol=tolerance, max_iter=10 * FOREVER,
        fit_intercept=False, random_state=0,
    )
    model.fit(problem.x, problem.y)
    return np.ravel(model.coef_), 0.0, None


@method("svm", "skglm LinearSVC")
def _(problem, tolerance, parameters):
    from skglm.estimators import LinearSVC

    model = LinearSVC(C=1 / (2 * parameters["lambda"]), tol=tolerance, max_iter=1000)
    model.fit(problem.x, problem.y)
    return np.ravel(model.coef_), 0.0, None


# It stops after 300 rounds, whatever its tolerance.
@method("svm", "liblinear-official -s 3")
def _(problem, tolerance, parameters):
    return liblinear(problem, f"-s 3 -c {1 / (2 * parameters['lambda'])!r} -e {tolerance!r}", parameters)


# Stochastic gradient and perceptron: a number of epochs.


@method("sgd", "scikit-learn SGDClassifier")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import SGDClassifier

    # (1/m)Σ loss + (α/2)‖w‖², so α = 2λ/m.
    model = SGDClassifier(
        loss="log_loss", alpha=2 * parameters["lambda"] / problem.rows, max_iter=parameters["epochs"], tol=None,
        random_state=0,
    )
    model.fit(problem.x, problem.y)
    return None, None, None


@method("perceptron", "scikit-learn Perceptron")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import Perceptron

    model = Perceptron(max_iter=parameters["epochs"], tol=None, shuffle=False)
    model.fit(problem.x, problem.y)
    return None, None, None


# From a CSV file, as one would write it: pandas reads, the library fits.


def table(parameters):
    import pandas

    table = pandas.read_csv(parameters["file"])
    return table.drop(columns="y").to_numpy(), table["y"].to_numpy()


@method("csv", "scikit-learn LinearRegression after pandas")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import LinearRegression

    return linear(LinearRegression().fit(*table(parameters)))


@method("csv", "statsmodels OLS after pandas")
def _(problem, tolerance, parameters):
    from statsmodels.api import OLS, add_constant

    x, y = table(parameters)
    found = OLS(y, add_constant(x)).fit().params
    return found[1:], float(found[0]), None


# Choosing a penalty. RidgeCV's α is on the total scale, as ours; LassoCV's is λ/2m.


@method("ridge_cv", "scikit-learn RidgeCV")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import RidgeCV

    model = RidgeCV(alphas=parameters["lambdas"], cv=parameters["folds"]).fit(problem.x, problem.y)
    return None, None, f"chose α = {model.alpha_:.4f}"


@method("ridge_loo", "scikit-learn RidgeCV")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import RidgeCV

    model = RidgeCV(alphas=parameters["lambdas"]).fit(problem.x, problem.y)
    return None, None, f"chose α = {model.alpha_:.4f}"


def lasso_cv(estimator, problem, tolerance, parameters, **more):
    alphas = np.array(parameters["lambdas"]) / (2 * problem.rows)
    model = estimator(cv=parameters["folds"], tol=tolerance, **{"alphas": alphas, **more})
    model.fit(problem.x, problem.y)
    return None, None, f"chose λ = {2 * problem.rows * model.alpha_:.1f}"


@method("lasso_cv", "scikit-learn LassoCV")
def _(problem, tolerance, parameters):
    from sklearn.linear_model import LassoCV

    return lasso_cv(LassoCV, problem, tolerance, parameters)


@method("lasso_cv", "celer LassoCV")
def _(problem, tolerance, parameters):
    from celer import LassoCV

    return lasso_cv(LassoCV, problem, tolerance, parameters)


# The protocol.

MODULES = {
    "scikit-learn": "sklearn", "celer": "celer", "skglm": "skglm", "python-glmnet": "glmnet", "glum": "glum",
    "statsmodels": "statsmodels.api", "liblinear-official": "liblinear.liblinearutil",
}


def hello():
    versions, absent = {}, {}
    for library in sys.argv[1:] or MODULES:
        try:
            module = MODULES[library]
            importlib.import_module(module)
            versions[library] = importlib.metadata.version(library)
        except Exception as error:
            absent[library] = f"{type(error).__name__}: {error}"
    present = lambda name: any(name.startswith(library) for library in versions)
    offers = {task: [name for name in methods if present(name)] for task, methods in METHODS.items()}
    return {"versions": versions, "absent": absent, "offers": offers, "warms_up": True}


def run(problem, task, method, tolerance, parameters):
    start = time.perf_counter()
    coefficients, intercepts, note = METHODS[task][method](problem, tolerance, parameters)
    answer = {"seconds": time.perf_counter() - start, "note": note}
    if coefficients is not None:
        answer["coefficients"] = np.atleast_2d(coefficients).tolist()
        answer["intercepts"] = np.atleast_1d(intercepts).tolist()
    return answer


def main():
    problem = None
    for line in sys.stdin:
        (kind, content), = json.loads(line).items()
        try:
            if kind == "hello":
                answer = hello()
            elif kind == "load":
                problem, answer = Problem(content["path"]), {}
                if "liblinear-official" in sys.argv[1:]:
                    problem.for_liblinear()
            else:
                answer = run(problem, **content)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=ANSWERS, flush=True)


main()
